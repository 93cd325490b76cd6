"""Whether elements are near each other. Both public faces of operators give these names."""

from __future__ import annotations

from framework.common.tensor import Tensor
from framework.ops.comparison import less
from framework.ops.control.composed import Composed
from framework.ops.mathematics.rounding import abs
from framework.ops.primitive import prim_attr_register

__all__ = ["ApproximateEqual", "approximate_equal"]


def approximate_equal(x: Tensor, y: Tensor, tolerance: float = 1e-5) -> Tensor:
    """Whether elements differ by less than a tolerance.

    Args:
        x: tensor of numbers.
        y: tensor of the same shape.
        tolerance: the smallest difference that counts.

    Returns:
        A Bool tensor of the same shape.

    Example:
        >>> print(ops.approximate_equal(Tensor([1.0, 2.0]), Tensor([1.5, 4.0]), 1.0))
        [ True False]
    """
    return less(abs(x - y), tolerance)


class ApproximateEqual(Composed):
    """Whether elements differ by less than a tolerance: `(x, y)`; see `approximate_equal`.

    Args:
        tolerance: the smallest difference that counts.

    Example:
        >>> print(ops.ApproximateEqual(1.0)(Tensor([1.0, 2.0]), Tensor([1.5, 4.0])))
        [ True False]
    """

    @prim_attr_register
    def __init__(self, tolerance: float = 1e-5) -> None:
        self.init_prim_io_names(inputs=["x1", "x2"], outputs=["y"])

    def __call__(self, x: Tensor, y: Tensor) -> Tensor:
        """Compare the elements."""
        return approximate_equal(x, y, self.tolerance)
