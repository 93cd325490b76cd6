"""Sparse tensors as values: what rows, coordinates and compressed rows consist of. No operator computes with them."""

from __future__ import annotations

from framework.common.dtype import DType
from framework.common.tensor import Tensor

__all__ = ["COOTensor", "CSRTensor", "RowTensor", "RowTensorInner"]


class RowTensor:
    """Some rows of a tensor whose other rows are 0.

    Args:
        indices: the numbers of the rows, shape (N,).
        values: the rows, shape (N, ...).
        shape: the shape of the whole tensor.

    """

    def __init__(self, indices: Tensor, values: Tensor, shape: tuple[int, ...]) -> None:
        self.indices = indices
        self.values = values
        self.dense_shape = tuple(shape)

    def __repr__(self) -> str:
        parts = f"shape={list(self.dense_shape)}, dtype={self.values.dtype}"
        return f"{type(self).__name__}({parts}, indices={self.indices}, values={self.values})"

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the whole tensor."""
        return self.dense_shape

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self.values.dtype


RowTensorInner = RowTensor
"""The name of the class in `mindspore.common.sparse_tensor`."""


class COOTensor(RowTensor):
    """Some elements of a tensor whose other elements are 0, by their coordinates.

    Args:
        indices: the coordinates, shape (N, number of dimensions).
        values: the elements, shape (N,).
        shape: the shape of the whole tensor.

    """

    @property
    def size(self) -> int:
        """The number of elements that are kept."""
        return int(self.values.size)


class CSRTensor:
    """Some elements of a matrix whose other elements are 0, row by row.

    Args:
        indptr: where the elements of each row begin and the last ones end, shape (rows + 1,).
        indices: the columns of the elements, shape (N,).
        values: the elements, shape (N,).
        shape: the shape of the whole matrix.

    """

    def __init__(self, indptr: Tensor, indices: Tensor, values: Tensor, shape: tuple[int, ...]) -> None:
        self.indptr = indptr
        self.indices = indices
        self.values = values
        self.shape = tuple(shape)

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self.values.dtype
