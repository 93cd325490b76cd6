"""Follow the regularized leader (McMahan et al. 2013)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from framework.common.tensor import Tensor
from framework.common.validator import check_float
from framework.nn.annotations import Decay, Rate
from framework.nn.optim.checks import check_flags, check_from_zero
from framework.nn.optim.optimizer import UpdatesEach
from framework.ops.updates.adaptive_steps import ApplyFtrl

__all__ = ["FTRL"]


class FTRL(UpdatesEach):
    """Follow the regularized leader (McMahan et al. 2013): it minimizes the sum of linearized losses with l1 and l2.

    new = moment + gradient^2; linear += gradient - (new^-lr_power - moment^-lr_power) / learning_rate * parameter;
    parameter = (sign(linear) * l1 - linear) / (new^-lr_power / learning_rate + 2 * l2) where |linear| > l1, else 0.

    Args:
        params: parameters, or groups of them; see `Optimizer`.
        initial_accum: initial moments, at least 0.
        learning_rate: a number, one number per step, or a Cell; see `Optimizer`.
        lr_power: exponent, at most 0; -0.5 for a square root.
        l1: weight of the l1 regularization, at least 0.
        l2: weight of the l2 regularization, at least 0.
        use_locking: accepted for compatibility; has no effect.
        loss_scale: factor of the loss, by which the gradients are divided.
        weight_decay: factor of the parameters that is added to the gradients.

    Example:
        >>> weight = ms.Parameter(Tensor([1.0, -1.0]), name="weight")
        >>> _ = nn.FTRL([weight], learning_rate=0.5)((Tensor([1.0, 1.0]),))
        >>> print(weight.asnumpy().round(3))
        [ 0.222 -1.175]

    """

    def __init__(
        self,
        params: Iterable[Any],
        initial_accum: float = 0.1,
        learning_rate: Rate = 0.001,
        lr_power: float = -0.5,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Decay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if self.dynamic_lr or self.is_group_lr:
            raise ValueError("FTRL: the learning rate must be one number for all steps and parameters")
        check_float(learning_rate, "FTRL: learning_rate", above=0.0)
        check_from_zero("FTRL", initial_accum=initial_accum, l1=l1, l2=l2)
        check_float(lr_power, "FTRL: lr_power", most=0.0)
        check_flags("FTRL", use_locking=use_locking)
        self.lr_power, self.l1, self.l2 = float(lr_power), float(l1), float(l2)
        self.use_locking = use_locking
        self.moments = self.parameters.clone("moments", init=initial_accum)
        self.linear = self.parameters.clone("linear", init="zeros")
        self.opt = ApplyFtrl(use_locking)

    def update(self, i: int, rate: Tensor, gradient: Tensor) -> None:
        """Update parameter number i by its gradient."""
        self.opt(
            self.parameters[i],
            self.moments[i],
            self.linear[i],
            gradient,
            rate,
            self.l1,
            self.l2,
            self.lr_power,
        )
