"""Cells of `mint.nn` with weights: layer normalization, embeddings, PReLU, transposed convolution."""

from __future__ import annotations

from math import prod, sqrt
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.initializer import Normal, Uniform, initializer
from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.mint.nn import functional as F  # noqa: N812
from framework.nn.cell import Cell

__all__ = ["ConvTranspose2d", "Embedding", "LayerNorm", "PReLU"]


class LayerNorm(Cell):
    """Layer normalization over the last dimensions (Ba, Kiros and Hinton 2016).

    Args:
        normalized_shape: the lengths of those dimensions, or the length of the last one.
        eps: a number added to the variance.
        elementwise_affine: whether elements are then scaled and shifted, by the parameters `weight` and `bias`.
        bias: whether there is a `bias` beside the weight.
        dtype: the element type of both; None for Float32.

    """

    def __init__(
        self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True,
        dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        kind = mstype.float32 if dtype is None else dtype
        self.weight: Parameter | None = None
        self.bias: Parameter | None = None
        if elementwise_affine:
            self.weight = Parameter(initializer("ones", self.normalized_shape, kind), name="weight")
            if bias:
                self.bias = Parameter(initializer("zeros", self.normalized_shape, kind), name="bias")

    def construct(self, input: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The normalized tensor."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


class Embedding(Cell):
    """Looks up rows of a table by index; see `functional.embedding`.

    Args:
        num_embeddings: the number of rows.
        embedding_dim: the length of a row.
        padding_idx: the number of a row that starts as 0 and gets no gradient.
        max_norm: None.
        norm_type: has no effect without `max_norm`.
        scale_grad_by_freq: False.
        sparse: False.
        _weight: the table to begin with; None for random numbers of the standard normal distribution.
        _freeze: do not train the table.
        dtype: the element type of the table; None for Float32.

    Raises:
        NotImplementedError: `max_norm`, `scale_grad_by_freq` or `sparse` is set.

    """

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, max_norm: float | None = None,
        norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False, _weight: Tensor | None = None,
        _freeze: bool = False, dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if max_norm is not None or scale_grad_by_freq or sparse:
            raise NotImplementedError("Embedding: max_norm, scale_grad_by_freq and sparse are not supported")
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        table = _weight
        if table is None:
            table = initializer(
                Normal(1.0), (num_embeddings, embedding_dim), mstype.float32 if dtype is None else dtype
            )
            if padding_idx is not None:
                rows = table.asnumpy().copy()
                rows[padding_idx] = 0
                table = Tensor(rows)
        self.weight = Parameter(table, name="weight", requires_grad=not _freeze)

    def construct(self, input: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The rows."""
        return F.embedding(input, self.weight, self.padding_idx)


class PReLU(Cell):
    """PReLU: x above 0, and x times a trained weight below (He et al. 2015).

    Args:
        num_parameters: one weight, or one for each channel.
        init: the weights to begin with.
        dtype: their element type; None for Float32.

    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25, dtype: DType | None = None) -> None:
        super().__init__()
        kind = mstype.float32 if dtype is None else dtype
        self.weight = Parameter(Tensor([init] * num_parameters, kind), name="weight")

    def construct(self, input: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """The rectified tensor."""
        return F.prelu(input, self.weight)


class ConvTranspose2d(Cell):
    """The transposed convolution in two dimensions; see `functional.conv_transpose2d`.

    The weight and the bias begin as in PyTorch: uniform, up to 1 / sqrt(output channels / groups * window's size).

    Args:
        in_channels: the channels of the input.
        out_channels: the channels of the result.
        kernel_size: the size of the windows, one number or one for each dimension; so are the next three.
        stride: the distance of windows in the result.
        padding: rows and columns that the result lacks on each side.
        output_padding: rows and columns that the result has more at the bottom and on the right.
        groups: the number of groups of channels that do not meet.
        bias: whether there is a bias.
        dilation: the distance of a window's elements.
        padding_mode: "zeros".
        dtype: the element type of the weight; None for Float32.

    Raises:
        ValueError: `padding_mode` is not "zeros".

    """

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, groups: int = 1, bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros",
        dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if padding_mode != "zeros":
            raise ValueError(f"ConvTranspose2d: padding_mode must be 'zeros', not {padding_mode!r}")
        self.options = (stride, padding, output_padding, groups, dilation)
        window = (kernel_size, kernel_size) if isinstance(kernel_size, int) else tuple(kernel_size)
        kind = mstype.float32 if dtype is None else dtype
        shape = (in_channels, out_channels // groups, *window)
        limit = 1 / sqrt(prod(shape[1:]))
        self.weight = Parameter(initializer(Uniform(limit), shape, kind), name="weight")
        self.bias: Parameter | None = None
        if bias:
            self.bias = Parameter(initializer(Uniform(limit), (out_channels,), kind), name="bias")

    def construct(self, input: Tensor) -> Any:  # noqa: A002 - MindSpore's name
        """Map (N, in_channels, H, W) to (N, out_channels, rows, columns)."""
        return F.conv_transpose2d(input, self.weight, self.bias, *self.options)
