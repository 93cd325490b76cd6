"""RMSProp (Hinton 2012), and its centered form (Graves 2013)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from framework.common.tensor import Tensor
from framework.common.validator import check_float
from framework.nn.annotations import Decay, Rate
from framework.nn.optim.checks import check_flags, check_from_zero
from framework.nn.optim.optimizer import Optimizer
from framework.ops.updates.adaptive_steps import ApplyCenteredRMSProp, ApplyRMSProp

__all__ = ["RMSProp"]


class RMSProp(Optimizer):
    """RMSProp: steps divided by the root of a running mean of squared gradients, which starts at 1.

    mean_square = decay * mean_square + (1 - decay) * gradient^2;
    moment = momentum * moment + learning_rate * gradient / sqrt(mean_square + epsilon); parameter -= moment.

    Args:
        params: parameters, or groups of them; see `Optimizer`.
        learning_rate: a number, one number per step, or a Cell; see `Optimizer`.
        decay: decay rate of the means.
        momentum: decay rate of the moment.
        epsilon: number added under the root.
        use_locking: accepted for compatibility; has no effect.
        centered: subtract the square of the running mean of gradients under the root.
        loss_scale: factor of the loss, by which the gradients are divided.
        weight_decay: factor of the parameters that is added to the gradients.

    Example:
        >>> weight = ms.Parameter(Tensor([1.0, -1.0]), name="weight")
        >>> _ = nn.RMSProp([weight], 0.1)((Tensor([1.0, 1.0]),))
        >>> print(weight.asnumpy().round(3))
        [ 0.9 -1.1]

    """

    def __init__(
        self,
        params: Iterable[Any],
        learning_rate: Rate = 0.1,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Decay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        check_from_zero("RMSProp", decay=decay, momentum=momentum)
        check_float(epsilon, "RMSProp: epsilon", above=0.0)
        check_flags("RMSProp", use_locking=use_locking, centered=centered)
        self.decay, self.momentum, self.epsilon, self.centered = decay, momentum, epsilon, centered
        self.ms = self.parameters.clone("mean_square", init="ones")
        self.moment = self.parameters.clone("moment", init="zeros")
        if centered:
            self.mean_grad = self.parameters.clone("mean_grad", init="zeros")
            self.centered_opt = ApplyCenteredRMSProp(use_locking)
        else:
            self.opt = ApplyRMSProp(use_locking)

    def construct(self, gradients: Sequence[Tensor]) -> Tensor:
        """Update the parameters; the gradients are in the order of the parameters."""
        gradients = self.prepared(gradients)
        rates = self.current_rates()
        for i in range(self.param_count):
            if self.centered:
                self.centered_opt(
                    self.parameters[i],
                    self.mean_grad[i],
                    self.ms[i],
                    self.moment[i],
                    gradients[i],
                    rates[i],
                    self.decay,
                    self.momentum,
                    self.epsilon,
                )
            else:
                self.opt(
                    self.parameters[i],
                    self.ms[i],
                    self.moment[i],
                    rates[i],
                    gradients[i],
                    self.decay,
                    self.momentum,
                    self.epsilon,
                )
        return self.step_done()
