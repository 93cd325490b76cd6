"""Adagrad (Duchi et al. 2011) and its proximal form (Duchi and Singer 2009)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from framework.common.tensor import Tensor
from framework.nn.annotations import Decay, Rate
from framework.nn.optim.checks import check_flags, check_from_zero
from framework.nn.optim.optimizer import UpdatesEach
from framework.ops.updates.adaptive_steps import ApplyAdagrad, ApplyProximalAdagrad

__all__ = ["Adagrad", "ProximalAdagrad"]


class Adagrad(UpdatesEach):
    """Adagrad (Duchi et al. 2011): accum += gradient^2; parameter -= learning_rate * gradient / sqrt(accum).

    Args:
        params: parameters, or groups of them; see `Optimizer`.
        accum: initial sum of squares, at least 0.
        learning_rate: a number, one number per step, or a Cell; see `Optimizer`.
        update_slots: update accum.
        loss_scale: factor of the loss, by which the gradients are divided.
        weight_decay: factor of the parameters that is added to the gradients.

    Example:
        >>> weight = ms.Parameter(Tensor([1.0, -1.0]), name="weight")
        >>> _ = nn.Adagrad([weight], learning_rate=0.5)((Tensor([1.0, 1.0]),))
        >>> print(weight.asnumpy().round(3))
        [ 0.523 -1.477]

    """

    def __init__(
        self,
        params: Iterable[Any],
        accum: float = 0.1,
        learning_rate: Rate = 0.001,
        update_slots: bool = True,
        loss_scale: float = 1.0,
        weight_decay: Decay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        check_from_zero("Adagrad", accum=accum)
        check_flags("Adagrad", update_slots=update_slots)
        self.accum = self.parameters.clone("accum", init=accum)
        self.opt = ApplyAdagrad(update_slots)

    def update(self, i: int, rate: Tensor, gradient: Tensor) -> None:
        """Update parameter number i by its gradient."""
        self.opt(self.parameters[i], self.accum[i], rate, gradient)


class ProximalAdagrad(UpdatesEach):
    """Adagrad with l1 and l2 regularization (Duchi and Singer 2009), with rate = learning_rate / sqrt(accum).

    With p the parameter after Adagrad's step, it becomes sign(p) * max(|p| - rate * l1, 0) / (1 + rate * l2).

    Args:
        params: parameters, or groups of them; see `Optimizer`.
        accum: initial sum of squares, at least 0.
        learning_rate: a number, one number per step, or a Cell; see `Optimizer`.
        l1: weight of the l1 regularization, at least 0.
        l2: weight of the l2 regularization, at least 0.
        use_locking: accepted for compatibility; has no effect.
        loss_scale: factor of the loss, by which the gradients are divided.
        weight_decay: factor of the parameters that is added to the gradients.

    Example:
        >>> weight = ms.Parameter(Tensor([1.0, -1.0]), name="weight")
        >>> _ = nn.ProximalAdagrad([weight], learning_rate=0.5)((Tensor([1.0, 1.0]),))
        >>> print(weight.asnumpy().round(3))
        [ 0.523 -1.477]

    """

    def __init__(
        self,
        params: Iterable[Any],
        accum: float = 0.1,
        learning_rate: Rate = 0.001,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Decay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        check_from_zero("ProximalAdagrad", accum=accum, l1=l1, l2=l2)
        check_flags("ProximalAdagrad", use_locking=use_locking)
        self.l1, self.l2 = float(l1), float(l2)
        self.accum = self.parameters.clone("accum", init=accum)
        self.opt = ApplyProximalAdagrad(use_locking)

    def update(self, i: int, rate: Tensor, gradient: Tensor) -> None:
        """Update parameter number i by its gradient."""
        self.opt(self.parameters[i], self.accum[i], rate, self.l1, self.l2, gradient)
