"""AdaMax (Kingma and Ba 2015) and Adadelta (Zeiler 2012)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.common.validator import check_float
from framework.nn.annotations import Decay, Rate
from framework.nn.optim.checks import check_betas, check_from_zero
from framework.nn.optim.optimizer import Optimizer
from framework.ops import functional as F  # noqa: N812
from framework.ops.updates.adam_steps import ApplyAdaMax
from framework.ops.updates.adaptive_steps import ApplyAdadelta

__all__ = ["AdaMax", "Adadelta"]


class AdaMax(Optimizer):
    """Adam in the maximum norm (Kingma and Ba 2015): it scales by the largest recent gradient.

    m = beta1 m + (1 - beta1) g; v = max(beta2 v, |g|); at step t the parameter changes by
    -learning_rate / (1 - beta1^t) m / (v + eps).

    Args:
        params: parameters, or groups of them; see `Optimizer`.
        learning_rate: a number, one number per step, or a Cell; see `Optimizer`.
        beta1: decay rate of m.
        beta2: decay rate of v.
        eps: number added to v.
        weight_decay: factor of the parameters that is added to the gradients.
        loss_scale: factor of the loss, by which the gradients are divided.

    Example:
        >>> weight = ms.Parameter(Tensor([1.0, -1.0]), name="weight")
        >>> _ = nn.AdaMax([weight], 0.5)((Tensor([1.0, 1.0]),))
        >>> print(weight.asnumpy().round(3))
        [ 0.5 -1.5]

    """

    def __init__(
        self,
        params: Iterable[Any],
        learning_rate: Rate = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: Decay = 0.0,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        check_betas("AdaMax", beta1, beta2, eps)
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.beta1_power = Parameter(Tensor(1.0, mstype.float32), name="beta1_power", requires_grad=False)
        self.moment1 = self.parameters.clone("moment1", init="zeros")
        self.moment2 = self.parameters.clone("moment2", init="zeros")
        self.opt = ApplyAdaMax()

    def construct(self, gradients: Sequence[Tensor]) -> Tensor:
        """Update the parameters; the gradients are in the order of the parameters."""
        gradients = self.prepared(gradients)
        rates = self.current_rates()
        beta1_power = F.assign(self.beta1_power, self.beta1_power * self.beta1)
        for i in range(self.param_count):
            self.opt(
                self.parameters[i],
                self.moment1[i],
                self.moment2[i],
                beta1_power,
                rates[i],
                self.beta1,
                self.beta2,
                self.eps,
                gradients[i],
            )
        return self.step_done()


class Adadelta(Optimizer):
    """Adadelta (Zeiler 2012): steps scaled by the ratio of recent steps to recent gradients.

    accum = rho accum + (1 - rho) g^2; step = sqrt(accum_update + epsilon) / sqrt(accum + epsilon) g;
    accum_update = rho accum_update + (1 - rho) step^2; parameter -= learning_rate step.

    Args:
        params: parameters, or groups of them; see `Optimizer`.
        learning_rate: a number, one number per step, or a Cell; see `Optimizer`.
        rho: decay rate of the means, from 0 to 1.
        epsilon: number added under the roots.
        loss_scale: factor of the loss, by which the gradients are divided.
        weight_decay: factor of the parameters that is added to the gradients.

    Example:
        >>> weight = ms.Parameter(Tensor([1.0, -1.0]), name="weight")
        >>> _ = nn.Adadelta([weight], 1.0)((Tensor([1.0, 1.0]),))
        >>> print(weight.asnumpy().round(3))
        [ 0.997 -1.003]

    """

    def __init__(
        self,
        params: Iterable[Any],
        learning_rate: Rate = 1.0,
        rho: float = 0.9,
        epsilon: float = 1e-6,
        loss_scale: float = 1.0,
        weight_decay: Decay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        check_float(rho, "Adadelta: rho", least=0.0, most=1.0)
        check_from_zero("Adadelta", epsilon=epsilon)
        self.rho, self.epsilon = rho, epsilon
        self.accum = self.parameters.clone("accum", init="zeros")
        self.accum_update = self.parameters.clone("accum_update", init="zeros")
        self.opt = ApplyAdadelta()

    def construct(self, gradients: Sequence[Tensor]) -> Tensor:
        """Update the parameters; the gradients are in the order of the parameters."""
        gradients = self.prepared(gradients)
        rates = self.current_rates()
        for i in range(self.param_count):
            self.opt(
                self.parameters[i],
                self.accum[i],
                self.accum_update[i],
                rates[i],
                self.rho,
                self.epsilon,
                gradients[i],
            )
        return self.step_done()
