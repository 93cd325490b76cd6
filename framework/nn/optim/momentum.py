"""Gradient descent with momentum (Polyak 1964; Nesterov 1983)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.nn.annotations import Decay, Rate
from framework.nn.optim.optimizer import Optimizer
from framework.ops import operations as P  # noqa: N812

__all__ = ["Momentum"]


class Momentum(Optimizer):
    """Momentum: moment = momentum * moment + gradient; parameter -= learning_rate * moment.

    With `use_nesterov`, parameter -= learning_rate * (gradient + momentum * moment).

    Args:
        params: parameters, or groups of them; see `Optimizer`.
        learning_rate: a number, one number per step, or a Cell; see `Optimizer`.
        momentum: decay rate of the moment.
        weight_decay: factor of the parameters that is added to the gradients.
        loss_scale: factor of the loss, by which the gradients are divided.
        use_nesterov: use Nesterov's momentum.

    Example:
        >>> weight = ms.Parameter(Tensor([1.0, -1.0]), name="weight")
        >>> optimizer = nn.Momentum([weight], 0.1, momentum=0.9)
        >>> _ = optimizer((Tensor([1.0, 1.0]),))
        >>> _ = optimizer((Tensor([1.0, 1.0]),))
        >>> print(weight.asnumpy().round(3))
        [ 0.71 -1.29]

    """

    def __init__(
        self,
        params: Iterable[Any],
        learning_rate: Rate,
        momentum: float,
        weight_decay: Decay = 0.0,
        loss_scale: float = 1.0,
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if momentum < 0:
            raise ValueError(f"Momentum: momentum must be at least 0, not {momentum}")
        self.momentum = Parameter(Tensor(momentum, mstype.float32), name="momentum", requires_grad=False)
        self.use_nesterov = use_nesterov
        self.moments = self.parameters.clone("moments", init="zeros")
        self.opt = P.ApplyMomentum(use_nesterov=use_nesterov)

    def construct(self, gradients: Sequence[Tensor]) -> Tensor:
        """Update the parameters; the gradients are in the order of the parameters."""
        gradients = self.prepared(gradients)
        rates = self.current_rates()
        for i in range(self.param_count):
            self.opt(self.parameters[i], self.moments[i], rates[i], gradients[i], self.momentum)
        return self.step_done()
