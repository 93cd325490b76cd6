"""Resilient propagation (Riedmiller and Braun 1993)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from framework.common.parameter import ParameterTuple
from framework.common.tensor import Tensor
from framework.common.validator import check_float, check_type
from framework.nn.annotations import Decay, Rate
from framework.nn.optim.optimizer import Optimizer
from framework.ops import functional as F  # noqa: N812
from framework.ops.updates.assignment import assign_cast

__all__ = ["Rprop"]


class Rprop(Optimizer):
    """Resilient propagation: steps that depend on the signs of gradients only, longer while a sign stays the same.

    Where the gradient has the sign of the one before, step_size *= etas[1]. Where the sign changes, step_size *=
    etas[0], and there is no step. step_size stays within step_sizes. parameter -= sign(gradient) step_size.

    Args:
        params: parameters, or groups of them; see `Optimizer`.
        learning_rate: initial step size: a number, one number per step, or a Cell; see `Optimizer`.
        etas: factors of the step size, one below 1 and one above 1.
        step_sizes: smallest and largest step size.
        weight_decay: factor of the parameters that is added to the gradients.

    Example:
        >>> weight = ms.Parameter(Tensor([1.0, -1.0]), name="weight")
        >>> _ = nn.Rprop([weight], 0.1)((Tensor([5.0, 0.01]),))
        >>> print(weight.asnumpy().round(3))
        [ 0.9 -1.1]

    """

    def __init__(
        self,
        params: Iterable[Any],
        learning_rate: Rate = 0.1,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50.0),
        weight_decay: Decay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        for name, pair in (("etas", etas), ("step_sizes", step_sizes)):
            check_type(f"Rprop: {name}", pair, tuple)
            if len(pair) != 2:
                raise ValueError(f"Rprop: {name} must be two numbers, not {pair}")
        check_float(etas[0], "Rprop: the first of etas", above=0.0, below=1.0)
        check_float(etas[1], "Rprop: the second of etas", above=1.0)
        check_type("Rprop: each of step_sizes", step_sizes[0], float)
        check_type("Rprop: each of step_sizes", step_sizes[1], float)
        if not step_sizes[0] <= step_sizes[1]:
            raise ValueError(
                f"Rprop: step_sizes must be the smallest and the largest step size, above 0, not {step_sizes}"
            )
        self.etaminus, self.etaplus = float(etas[0]), float(etas[1])
        self.step_size_min, self.step_size_max = float(step_sizes[0]), float(step_sizes[1])
        self.prev = self.parameters.clone("prev", init="zeros")
        made = [
            item.clone(float(rate.asnumpy())) for item, rate in zip(self.parameters, self.current_rates(), strict=True)
        ]
        for item in made:
            item.name = f"step_size.{item.name}"
        self.step_size = ParameterTuple(made)

    def construct(self, gradients: Sequence[Tensor]) -> Tensor:
        """Update the parameters; the gradients are in the order of the parameters."""
        gradients = self.prepared(gradients)
        for i in range(self.param_count):
            gradient = gradients[i]
            sign = F.sign(gradient * self.prev[i])
            factor = F.select(sign > 0.0, self.etaplus, F.select(sign < 0.0, self.etaminus, F.ones_like(sign)))
            size = F.minimum(F.maximum(self.step_size[i] * factor, self.step_size_min), self.step_size_max)
            gradient = F.select(sign < 0.0, F.zeros_like(gradient), gradient)
            assign_cast(self.parameters[i], self.parameters[i] - F.sign(gradient) * size)
            assign_cast(self.prev[i], gradient)
            assign_cast(self.step_size[i], size)
        return self.step_done()
