"""Stochastic gradient descent (Robbins and Monro 1951), optionally with momentum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.nn.annotations import Decay, Rate
from framework.nn.optim.checks import as_float, check_flags, check_from_zero
from framework.nn.optim.optimizer import Optimizer
from framework.ops import operations as P  # noqa: N812

__all__ = ["SGD"]


class SGD(Optimizer):
    """Stochastic gradient descent: parameter -= learning_rate * gradient.

    With momentum, accum = momentum * accum + (1 - dampening) * gradient, except that the first step takes the gradient
    undamped. The step is learning_rate * accum or, with `nesterov`, learning_rate * (gradient + momentum * accum).

    Args:
        params: parameters, or groups of them; see `Optimizer`.
        learning_rate: a number, one number per step, or a Cell; see `Optimizer`.
        momentum: decay rate of the accumulation.
        dampening: fraction of each gradient that is left out of the accumulation.
        weight_decay: factor of the parameters that is added to the gradients.
        nesterov: use Nesterov's momentum.
        loss_scale: factor of the loss, by which the gradients are divided.

    Example:
        >>> weight = ms.Parameter(Tensor([1.0, -1.0]), name="weight")
        >>> _ = nn.SGD([weight], 0.5)((Tensor([1.0, 1.0]),))
        >>> print(weight.asnumpy())
        [ 0.5 -1.5]

    """

    def __init__(
        self,
        params: Iterable[Any],
        learning_rate: Rate = 0.1,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: Decay = 0.0,
        nesterov: bool = False,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        check_from_zero("SGD", momentum=as_float(momentum), dampening=as_float(dampening))
        check_flags("SGD", nesterov=nesterov)
        if nesterov and (momentum == 0 or dampening != 0):
            raise ValueError("SGD: Nesterov's momentum needs a momentum above 0 and dampening 0")
        self.momentum = Parameter(Tensor(momentum, mstype.float32), name="momentum", requires_grad=False)
        self.dampening, self.nesterov = dampening, nesterov
        self.accum = self.parameters.clone("accum", init="zeros")
        #: 1 until the first step, which takes the gradient undamped, then 0.
        self.stat = self.parameters.clone("stat", init="ones")
        self.opt = P.SGD(dampening, 0.0, nesterov)

    def construct(self, gradients: Sequence[Tensor]) -> Tensor:
        """Update the parameters; the gradients are in the order of the parameters."""
        gradients = self.prepared(gradients)
        rates = self.current_rates()
        for i in range(self.param_count):
            self.opt(self.parameters[i], gradients[i], rates[i], self.accum[i], self.momentum, self.stat[i])
        return self.step_done()
