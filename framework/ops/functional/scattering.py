"""Elements put where indices point to, in Parameters and in copies."""

from __future__ import annotations

from typing import Any

from framework.ops import operations as P  # noqa: N812
from framework.ops.primitive import cached

__all__ = [
    "index_add", "scatter", "scatter_add", "scatter_div", "scatter_max", "scatter_min", "scatter_mul",
    "scatter_nd_add", "scatter_nd_sub", "scatter_nd_update", "scatter_sub", "scatter_update", "tensor_scatter_div",
    "tensor_scatter_elements", "tensor_scatter_max", "tensor_scatter_min", "tensor_scatter_mul",
    "unsorted_segment_max", "unsorted_segment_min", "unsorted_segment_prod",
]  # fmt: skip

scatter_add = P.ScatterAdd()
scatter_div = P.ScatterDiv()
scatter_max = P.ScatterMax()
scatter_min = P.ScatterMin()
scatter_mul = P.ScatterMul()
scatter_nd_add = P.ScatterNdAdd()
scatter_nd_sub = P.ScatterNdSub()
scatter_nd_update = P.ScatterNdUpdate()
scatter_sub = P.ScatterSub()
scatter_update = P.ScatterUpdate()
tensor_scatter_div = P.TensorScatterDiv()
tensor_scatter_max = P.TensorScatterMax()
tensor_scatter_min = P.TensorScatterMin()
tensor_scatter_mul = P.TensorScatterMul()
unsorted_segment_max = P.UnsortedSegmentMax()
unsorted_segment_min = P.UnsortedSegmentMin()
unsorted_segment_prod = P.UnsortedSegmentProd()


def scatter(input: Any, axis: int, index: Any, src: Any) -> Any:
    """A copy with elements of `src` put along an axis where the index points to.

    Example:
        >>> print(ops.scatter(ops.zeros((2, 3)), 1, Tensor([[2], [0]]), Tensor([[5.0], [7.0]])))
        [[0. 0. 5.]
         [7. 0. 0.]]

    """
    return cached(P.TensorScatterElements, axis, "none")(input, index, src)


def tensor_scatter_elements(input_x: Any, indices: Any, updates: Any, axis: int = 0, reduction: str = "none") -> Any:
    """A copy with updates put, or with "add" added, along an axis where the indices point to.

    Example:
        >>> print(ops.tensor_scatter_elements(ops.zeros((2, 3)), Tensor([[2], [0]]), Tensor([[5.0], [7.0]]), 1))
        [[0. 0. 5.]
         [7. 0. 0.]]

    """
    return cached(P.TensorScatterElements, axis, reduction)(input_x, indices, updates)


def index_add(x: Any, indices: Any, y: Any, axis: int, use_lock: bool = True, check_index_bound: bool = True) -> Any:
    """Adds slices to a Parameter's along an axis, and returns it.

    Example:
        >>> x = ms.Parameter(Tensor([[1.0, 2.0], [3.0, 4.0]]), name="x")
        >>> print(ops.index_add(x, Tensor([1], ms.int32), Tensor([[10.0, 10.0]]), 0))
        [[ 1.  2.]
         [13. 14.]]

    """
    return cached(P.IndexAdd, axis)(x, indices, y)
