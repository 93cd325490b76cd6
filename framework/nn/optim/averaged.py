"""Averaged gradient descent (Polyak and Juditsky 1992)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.parameter import Parameter, ParameterTuple
from framework.common.tensor import Tensor
from framework.common.validator import check_type
from framework.nn.annotations import Decay, Rate
from framework.nn.optim.optimizer import Optimizer
from framework.ops import functional as F  # noqa: N812
from framework.ops.updates.assignment import assign_cast

__all__ = ["ASGD"]


class ASGD(Optimizer):
    """Averaged gradient descent: parameter = parameter (1 - lambd eta) - eta gradient; `ax` is its running mean.

    After step t, eta = learning_rate / (1 + lambd learning_rate t)^alpha. The mean starts at step t0.

    Args:
        params: parameters, or groups of them; see `Optimizer`.
        learning_rate: a number, one number per step, or a Cell; see `Optimizer`.
        lambd: rate of the decay of parameters and learning rates.
        alpha: exponent of the decay of the learning rate.
        t0: step at which averaging starts.
        weight_decay: factor of the parameters that is added to the gradients.

    Example:
        >>> weight = ms.Parameter(Tensor([1.0, -1.0]), name="weight")
        >>> _ = nn.ASGD([weight], 0.5)((Tensor([1.0, 1.0]),))
        >>> print(weight.asnumpy().round(3))
        [ 0.5 -1.5]

    """

    def __init__(
        self,
        params: Iterable[Any],
        learning_rate: Rate = 0.1,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: Decay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        for argument, value in (("lambd", lambd), ("alpha", alpha), ("t0", t0)):
            check_type(f"ASGD: {argument}", value, float)
        self.lambd, self.alpha, self.t0 = float(lambd), float(alpha), float(t0)
        rates = self.current_rates()
        self.eta = _numbers("eta_", self.parameters, [float(rate.asnumpy()) for rate in rates])
        self.mu = _numbers("mu_", self.parameters, [1.0] * self.param_count)
        self.ax = self.parameters.clone("ax_", init="zeros")

    def construct(self, gradients: Sequence[Tensor]) -> Tensor:
        """Update the parameters; the gradients are in the order of the parameters."""
        gradients = self.prepared(gradients)
        rates = self.current_rates()
        step = F.reshape(F.cast(self.global_step, mstype.float32), ()) + 1.0
        for i in range(self.param_count):
            parameter, eta, average = self.parameters[i], self.eta[i], self.ax[i]
            new = assign_cast(parameter, parameter * (1.0 - self.lambd * eta) - eta * gradients[i])
            assign_cast(average, average + (new - average) * self.mu[i])
            assign_cast(eta, rates[i] / F.pow(rates[i] * self.lambd * step + 1.0, self.alpha))
            assign_cast(self.mu[i], 1.0 / F.maximum(step - self.t0, 1.0))
        return self.step_done()


def _numbers(prefix: str, parameters: ParameterTuple, values: list[float]) -> ParameterTuple:
    """A scalar Parameter for each parameter."""
    return ParameterTuple(
        Parameter(Tensor(value, mstype.float32), name=prefix + parameter.name, requires_grad=False)
        for parameter, value in zip(parameters, values, strict=True)
    )
