"""Gradients of several steps that the optimizer applies at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from framework.common import dtype as mstype
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.nn.cell import Cell
from framework.nn.optim.optimizer import Optimizer
from framework.ops import functional as F  # noqa: N812
from framework.ops.multitype import HyperMap, MultitypeFuncGraph

__all__ = ["GradientAccumulation", "gradient_accumulation_op", "gradient_clear_op"]

gradient_accumulation_op = MultitypeFuncGraph("gradient_accumulation_op")
gradient_clear_op = MultitypeFuncGraph("gradient_clear_op")


@gradient_accumulation_op.register("Int64", "Tensor", "Tensor")
def _accumulated(steps: int, total: Parameter, grad: Tensor) -> Any:
    """Add a gradient's share of the mean."""
    return F.assign_add(total, grad / steps)


@gradient_clear_op.register("Tensor")
def _cleared(total: Parameter) -> Any:
    """Begin with 0 again."""
    return F.assign(total, F.zeros_like(total))


class GradientAccumulation(Cell):
    """Adds up the gradients of several steps; the optimizer gets their mean at the last one.

    Args:
        max_accumulation_step: the number of steps.
        optimizer: the optimizer.

    Inputs: loss, a tensor; grads, one gradient for each parameter of the optimizer.

    Output: the loss.

    """

    def __init__(self, max_accumulation_step: int, optimizer: Optimizer) -> None:
        super().__init__()
        self._max_accumulation_step = max_accumulation_step
        self.optimizer = optimizer
        self.weights = optimizer.parameters
        self.hyper_map = HyperMap()
        self._grad_accumulation = self.weights.clone(prefix="grad_accumulation", init="zeros")
        self._accumulation_step = Parameter(Tensor(0, mstype.int32), name="accumulation_step")

    def construct(self, loss: Tensor, grads: Sequence[Tensor]) -> Any:
        """Keep the gradients, and update the weights at the last of the steps."""
        for total, grad in zip(self._grad_accumulation, grads, strict=True):
            F.assign_add(total, grad / self._max_accumulation_step)
        F.assign_add(self._accumulation_step, 1)
        if self._accumulation_step >= self._max_accumulation_step:
            self.optimizer(self._grad_accumulation)
            self.hyper_map(gradient_clear_op, self._grad_accumulation)
            F.assign(self._accumulation_step, 0)
        return loss
