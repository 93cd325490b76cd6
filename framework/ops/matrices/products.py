"""Products of matrices, and the bias of channels."""

from __future__ import annotations

from math import prod
from typing import Any, Final

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.kernels.accelerated import matmul as matmul_kernel
from framework.ops.array.broadcasting import SumLike
from framework.ops.array.properties import rank, shape
from framework.ops.array.reshaping import Squeeze, expand_dims, reshape
from framework.ops.arrays import Array, ArrayModule, converted, without_halves
from framework.ops.creation.filled_like import ZerosLike
from framework.ops.elementwise import promoted
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.needed import is_needed
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.shapes import Dims, broadcast

__all__ = [
    "BatchMatMul",
    "BiasAdd",
    "BiasAddGrad",
    "MatMul",
    "bias_add",
    "bmm",
    "dot",
    "matmul",
    "outer",
]

sum_like = SumLike()
zeros_like = ZerosLike()


class BatchMatMul(PrimitiveWithInfer):
    """The products of the matrices in the last two dimensions; the other dimensions broadcast.

    out[..., i, j] = the sum of x1[..., i, k] * x2[..., k, j] over k.

    Inputs: tensors of shapes (..., N, K) and (..., K, M), of at least two dimensions. An operand that is transposed has
    its last two dimensions exchanged.

    Output: a tensor of shape (..., N, M), of the type that both promote to.

    Args:
        transpose_a: transpose the matrices of x1.
        transpose_b: transpose the matrices of x2.

    Example:
        >>> x = Tensor([[[1.0, 2.0]], [[3.0, 4.0]]])
        >>> out = ops.BatchMatMul(transpose_b=True)(x, x)
        >>> print(out.shape, out.asnumpy().ravel())
        (2, 1, 1) [ 5. 25.]
    """

    promotes = True

    @prim_attr_register
    def __init__(self, transpose_a: bool = False, transpose_b: bool = False) -> None:
        self.init_prim_io_names(inputs=["x1", "x2"], outputs=["output"])

    def infer_shape(self, x1: Dims, x2: Dims) -> Dims:
        if len(x1) < 2 or len(x2) < 2:
            raise ValueError(f"{self.name} takes tensors of at least two dimensions, not shapes {x1} and {x2}")
        rows, inner = _transposed_shape(x1[-2:], self.transpose_a)
        other, columns = _transposed_shape(x2[-2:], self.transpose_b)
        if None not in (inner, other) and inner != other:
            raise ValueError(f"{self.name}: the {inner} columns of {x1} do not match the {other} rows of {x2}")
        return (*broadcast(x1[:-2], x2[:-2]), rows, columns)

    def infer_dtype(self, x1: DType, x2: DType) -> DType:
        return mstype.promote(x1, x2)

    def compute(self, xp: ArrayModule, x1: Array, x2: Array, *, out: Array | None = None) -> Array:
        if x1.dtype != x2.dtype:
            x1, x2 = promoted(xp, x1, x2)
        if x1.ndim < 2 or x2.ndim < 2:
            raise ValueError("both tensors need at least two dimensions")
        return matmul_kernel(
            xp,
            x1.swapaxes(-1, -2) if self.transpose_a else x1,
            x2.swapaxes(-1, -2) if self.transpose_b else x2,
            out,
        )


_batch_matmul = BatchMatMul()


@bprop_getters.register(BatchMatMul)
def get_bprop_matmul(self: BatchMatMul) -> Bprop:
    """d(A B) = dA B + A dB; each gradient is one product of matrices, with transposes."""
    kind = type(self)
    a, b = self.transpose_a, self.transpose_b
    of_first = cached(kind, b, True) if a else cached(kind, False, not b)
    of_second = cached(kind, True, a) if b else cached(kind, not a, False)

    def bprop(x1: Tensor, x2: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
        dx1 = None
        if is_needed(x1):
            dx1 = sum_like(of_first(x2, dout) if a else of_first(dout, x2), x1)
        dx2 = None
        if is_needed(x2):
            dx2 = sum_like(of_second(dout, x1) if b else of_second(x1, dout), x2)
        return dx1, dx2

    return bprop


#: Number of multiplications from which a product is left to the kernel, which may call a library.
_LARGE: Final = 1_000_000


class MatMul(BatchMatMul):
    """The product of two matrices.

    out[i, j] = the sum of x1[i, k] * x2[k, j] over k.

    Inputs: tensors of shapes (N, K) and (K, M). An operand that is transposed has its dimensions exchanged.

    Output: a tensor of shape (N, M), of the type that both promote to.

    Args:
        transpose_a: transpose x1.
        transpose_b: transpose x2.

    Example:
        >>> x1, x2 = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[10.0], [1.0]])
        >>> print(ops.MatMul()(x1, x2))
        [[12.]
         [34.]]
        >>> print(ops.MatMul(transpose_a=True)(x1, x2))
        [[13.]
         [24.]]
    """

    def infer_shape(self, x1: Dims, x2: Dims) -> Dims:
        if len(x1) != 2 or len(x2) != 2:
            raise ValueError(f"MatMul takes matrices, not shapes {x1} and {x2}: use BatchMatMul")
        return super().infer_shape(x1, x2)

    def compute(self, xp: ArrayModule, x1: Array, x2: Array, *, out: Array | None = None) -> Array:
        if x1.ndim != 2 or x2.ndim != 2:
            raise ValueError("both tensors must be matrices; BatchMatMul takes more dimensions")
        if x1.dtype != x2.dtype:
            x1, x2 = promoted(xp, x1, x2)
        return matmul_kernel(xp, x1.T if self.transpose_a else x1, x2.T if self.transpose_b else x2, out)

    def expression(self, x1: Dims, x2: Dims) -> str:
        sizes: tuple[Any, ...] = (*x1, self.infer_shape(x1, x2)[1])
        if prod(sizes) >= _LARGE:
            return ""
        return f"xp.dot({{0}}{'.T' * self.transpose_a}, {{1}}{'.T' * self.transpose_b}{{out}})"


_matmul = MatMul()


class BiasAdd(PrimitiveWithInfer):
    """Adds a bias to each channel: out[n, c, ...] = x[n, c, ...] + b[c].

    Inputs: x, a tensor of any shape with C channels; the bias b, of shape (C,).

    Output: a tensor of the shape of x, of the type that both promote to.

    Args:
        data_format: "NCHW" if the channels are the second dimension; "NHWC" if they are the last.

    Example:
        >>> x = Tensor(np.zeros((1, 2, 2), np.float32))
        >>> print(ops.BiasAdd()(x, Tensor([1.0, 2.0])))
        [[[1. 1.]
          [2. 2.]]]
        >>> print(ops.BiasAdd(data_format="NHWC")(x, Tensor([1.0, 2.0])))
        [[[1. 2.]
          [1. 2.]]]
    """

    arguments = ("input_x", "bias")
    promotes = True
    in_place = (0,)

    @prim_attr_register
    def __init__(self, data_format: str = "NCHW") -> None:
        self.init_prim_io_names(inputs=["x", "b"], outputs=["output"])

    def infer_shape(self, x: Dims, b: Dims) -> Dims:
        channels = x[self.channel_axis(len(x))]
        if len(b) != 1 or (None not in (channels, b[0]) and channels != b[0]):
            raise ValueError(f"BiasAdd: a bias of shape {b} does not fit {channels} channels of {x}")
        return x

    def infer_dtype(self, x: DType, b: DType) -> DType:
        return mstype.promote(x, b)

    def compute(self, xp: ArrayModule, x: Array, b: Array, *, out: Array | None = None) -> Array:
        if x.dtype != b.dtype:
            x, b = promoted(xp, x, b)
        self.infer_shape(x.shape, b.shape)
        if self.channel_axis(x.ndim) == x.ndim - 1:
            return xp.add(x, b, out=out)
        return xp.add(x, b.reshape(-1, *(1,) * (x.ndim - 2)), out=out)

    def expression(self, x: Dims, b: Dims) -> str:
        return "xp.add({0}, {1}{out})" if self.channel_axis(len(x)) == len(x) - 1 else ""

    def channel_axis(self, rank: int) -> int:
        """The dimension of the channels."""
        return _channel_axis(self.data_format, rank)


bias_add = BiasAdd()


@bprop_getters.register(BiasAdd)
def get_bprop_bias_add(self: BiasAdd) -> Bprop:
    """The bias gets the sum of dout over all dimensions but that of the channels."""
    bias_add_grad = cached(BiasAddGrad, self.data_format)

    def bprop(x: Tensor, b: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return sum_like(dout, x), sum_like(bias_add_grad(dout), b)

    return bprop


class BiasAddGrad(PrimitiveWithInfer):
    """The gradient of `BiasAdd` with respect to the bias: dout[n, c, ...] summed over all dimensions but c.

    Inputs: dout, the gradient with respect to the output of `BiasAdd`, of any shape with C channels.

    Output: a tensor of shape (C,) and the element type of dout.

    Args:
        data_format: as for `BiasAdd`.

    Example:
        >>> print(ops.BiasAddGrad()(Tensor([[1.0, 2.0], [10.0, 20.0]])))
        [11. 22.]
    """

    arguments = ("dout",)

    @prim_attr_register
    def __init__(self, data_format: str = "NCHW") -> None:
        self.init_prim_io_names(inputs=["dout"], outputs=["output"])

    def infer_shape(self, dout: Dims) -> Dims:
        return (dout[_channel_axis(self.data_format, len(dout))],)

    def infer_dtype(self, dout: DType) -> DType:
        return dout

    def compute(self, xp: ArrayModule, dout: Array, *, out: Array | None = None) -> Array:
        if dout.dtype == xp.float16:
            return converted(xp.add.reduce(without_halves(dout), self.summed_axes(dout.ndim)), dout.dtype)
        return xp.add.reduce(dout, self.summed_axes(dout.ndim), dout.dtype, out)

    def expression(self, dout: Dims) -> str:
        return f"xp.add.reduce({{0}}, axis={self.summed_axes(len(dout))}{{out}})"

    def summed_axes(self, rank: int) -> tuple[int, ...]:
        """All dimensions but that of the channels."""
        channels = _channel_axis(self.data_format, rank)
        return tuple(axis for axis in range(rank) if axis != channels)


@bprop_getters.register(BiasAddGrad)
def get_bprop_bias_add_grad(self: BiasAddGrad) -> Bprop:
    """Every element gets the gradient of its channel's sum."""
    bias_add = cached(BiasAdd, self.data_format)

    def bprop(dy: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        return (bias_add(zeros_like(dy), dout),)

    return bprop


def _channel_axis(data_format: str, rank: int) -> int:
    return 1 if data_format == "NCHW" and rank > 1 else rank - 1


def _transposed_shape(shape: Dims, transpose: bool) -> Dims:
    return (shape[1], shape[0]) if transpose else shape


def matmul(input: Any, other: Any) -> Tensor:
    """The product of matrices by numpy's rules: a vector counts as a row on the left and as a column on the right.

    Args:
        input: tensor of shape (..., N, K) or (K,).
        other: tensor of shape (..., K, M) or (K,).

    Returns:
        A tensor of shape (..., N, M), without the dimensions of vectors.

    Example:
        >>> print(ops.matmul(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 10.0])))
        [21. 43.]

    """
    first = rank(input)
    second = rank(other)
    if first == 2 and second == 2:
        return _matmul(input, other)
    a = expand_dims(input, 0) if first == 1 else input
    b = expand_dims(other, 1) if second == 1 else other
    sizes = shape(a)
    if first > 2 and second <= 2 and sizes[-1] == shape(b)[0] != 0:
        # One product for all rows, so that the gradient of the matrix is one product and not a sum over the batch.
        rows = _matmul(reshape(a, (-1, sizes[-1])), b)
        return reshape(rows, sizes[:-1] + (shape(b)[1:] if second == 2 else ()))
    out = _batch_matmul(a, b)
    if first == 1 and second == 1:
        return reshape(out, ())
    if first == 1:
        return cached(Squeeze, -2)(out)
    return cached(Squeeze, -1)(out) if second == 1 else out


def bmm(input_x: Any, mat2: Any) -> Tensor:
    """The products of the matrices in the last two dimensions.

    Args:
        input_x: tensor of shape (..., N, K).
        mat2: tensor of shape (..., K, M).

    Returns:
        A tensor of shape (..., N, M).

    Example:
        >>> print(ops.bmm(ops.ones((2, 1, 3)), ops.ones((2, 3, 1))).asnumpy().ravel())
        [3. 3.]

    """
    return _batch_matmul(input_x, mat2)


def dot(input: Tensor, other: Tensor | float) -> Tensor:
    """Products summed over the last dimension of the first tensor and the last but one of the second.

    Args:
        input: tensor of shape (..., K).
        other: tensor of shape (..., K, M) or (K,).

    Returns:
        A tensor of shape input.shape[:-1] + other.shape[:-2] + other.shape[-1:].

    Example:
        >>> print(ops.dot(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])))
        [[11.]]

    """
    return matmul(input, other)


def outer(input: Tensor, vec2: Tensor | float) -> Tensor:
    """The outer product of two vectors.

    Args:
        input: vector of shape (N,).
        vec2: vector of shape (M,).

    Returns:
        A matrix of shape (N, M).

    Example:
        >>> print(ops.outer(Tensor([1, 2]), Tensor([1, 10, 100])))
        [[  1  10 100]
         [  2  20 200]]

    """
    return expand_dims(input, 1) * expand_dims(vec2, 0)
