"""The base class of losses."""

from __future__ import annotations

from framework.common.tensor import Tensor
from framework.nn.cell import Cell
from framework.ops import functional as F  # noqa: N812
from framework.ops import operations as P  # noqa: N812

__all__ = ["LossBase", "_Loss"]


class LossBase(Cell):
    """Base class of losses: it reduces the losses of elements to their mean or sum, or keeps them.

    Args:
        reduction: "mean", "sum" or "none".

    Example:
        >>> class Cubed(nn.LossBase):
        ...     def construct(self, logits, labels):
        ...         return self.get_loss(ops.abs(logits - labels) ** 3)
        >>> print(Cubed("sum")(Tensor([1.0, 2.0]), Tensor([3.0, 3.0])))
        9.0

    """

    #: Operators that losses of programs use, by MindSpore's names.
    reduce_mean, reduce_sum, mul, cast = P.ReduceMean(), P.ReduceSum(), P.Mul(), P.Cast()

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        if reduction not in ("mean", "sum", "none"):
            raise ValueError(f"{type(self).__name__}: reduction must be 'mean', 'sum' or 'none', not {reduction!r}")
        self.reduction = reduction
        self.reduce, self.average = reduction != "none", reduction == "mean"

    def get_loss(self, x: Tensor, weights: Tensor | float = 1.0) -> Tensor:
        """The losses of elements times weights, reduced.

        Args:
            x: losses of the elements.
            weights: weights, which broadcast.

        Returns:
            A scalar tensor, or with "none" the weighted losses.
        """
        loss: Tensor = F.reduced(x * weights, self.reduction)
        return loss

    def get_axis(self, x: Tensor) -> tuple[int, ...]:
        """All axes of a tensor."""
        return tuple(range(F.rank(x)))


class _Loss(LossBase):
    """The base class of losses in programs of MindSpore 1.x, which define `construct(logits, labels)`.

    Args:
        reduction: "mean", "sum" or "none".
    """
