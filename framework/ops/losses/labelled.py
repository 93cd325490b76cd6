"""Cross entropy of logits with labels: classes, distributions over classes, or probabilities per element."""

from __future__ import annotations

from types import MappingProxyType

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.kernels.accelerated import cross_entropy, cross_entropy_grad
from framework.kernels.accelerated import log_softmax as log_softmax_kernel
from framework.ops.activation.normalized_exponentials import LogSoftmax
from framework.ops.activation.sigmoids import sigmoid
from framework.ops.array.broadcasting import SumLike
from framework.ops.array.casting import Cast
from framework.ops.array.properties import dtype as dtype_of
from framework.ops.array.properties import shape as shape_of
from framework.ops.array.reshaping import expand_dims
from framework.ops.arrays import Array, ArrayModule
from framework.ops.gradients import Bprop, bprop_getters
from framework.ops.gradients import gradient as gradient_kernel
from framework.ops.indexing.selecting import OneHot
from framework.ops.losses.distances import agree as _agree
from framework.ops.losses.distances import check_labels as _check_labels
from framework.ops.losses.distances import check_rows as _check_rows
from framework.ops.mathematics.exponential import exp
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register
from framework.ops.reduction.totals import ReduceSum
from framework.ops.shapes import Dims, broadcast

__all__ = [
    "SigmoidCrossEntropy",
    "SigmoidCrossEntropyWithLogits",
    "SoftmaxCrossEntropy",
    "SoftmaxCrossEntropyWithLogits",
    "SparseSoftmaxCrossEntropyWithLogits",
    "SparseSoftmaxCrossEntropyWithLogitsGrad",
]

log_softmax = LogSoftmax(-1)
sum_kept = ReduceSum(True)
one_hot = OneHot(-1)
cast = Cast()
reduce_sum = ReduceSum()
sum_like = SumLike()


class SoftmaxCrossEntropyWithLogits(PrimitiveWithInfer):
    """-sum(labels * log_softmax(logits)) per row; the labels are distributions over classes.

    Inputs: logits, a floating-point tensor of shape (N, C); labels, of the same shape and type.

    Outputs: the loss per row, (N,); softmax(logits) - labels, (N, C), without a gradient of its own.

    Example:
        >>> loss, grad = ops.SoftmaxCrossEntropyWithLogits()(Tensor([[0.0, 0.0]]), Tensor([[1.0, 0.0]]))
        >>> print(loss.asnumpy().round(3), grad)
        [0.693] [[-0.5  0.5]]
    """

    takes = MappingProxyType({0: mstype.float_type, 1: mstype.float_type})
    fresh = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["features", "labels"], outputs=["loss", "backprop"])

    def infer_shape(self, logits: Dims, labels: Dims) -> tuple[Dims, Dims]:
        if len(logits) != 2 or not _agree(logits, labels):
            raise ValueError(f"{self.name}: logits {logits} and labels {labels} must be matrices of one shape")
        return (logits[0],), logits

    def infer_dtype(self, logits: DType, labels: DType) -> tuple[DType, DType]:
        met = mstype.promote(logits, labels)
        return met, met

    def compute(self, xp: ArrayModule, logits: Array, labels: Array) -> tuple[Array, ...]:
        self.infer_shape(logits.shape, labels.shape)
        logarithms = log_softmax_kernel(xp, logits, -1)
        return -(labels * logarithms).sum(axis=-1), xp.exp(logarithms) - labels


@gradient_kernel(SoftmaxCrossEntropyWithLogits)
def softmax_cross_entropy_gradient(
    logits: Tensor, labels: Tensor, out: tuple[Tensor, ...], dout: tuple[Tensor, Tensor]
) -> tuple[Tensor, ...]:
    """The logits get (softmax(logits) sum(labels) - labels) dout, the labels -log_softmax(logits) dout."""
    per_row = expand_dims(dout[0], -1)
    logarithm = log_softmax(logits)
    dlogits = (exp(logarithm) * sum_kept(labels, -1) - labels) * per_row
    return dlogits, -logarithm * per_row


#: Shorter name, as in MindSpore's examples.
SoftmaxCrossEntropy = SoftmaxCrossEntropyWithLogits


class SparseSoftmaxCrossEntropyWithLogits(PrimitiveWithInfer):
    """The mean over rows of -log_softmax(logits)[label].

    Inputs: logits, a floating-point tensor of shape (N, C); labels, integers of shape (N,), from 0 to C - 1.

    Output: a scalar tensor of the type of the logits, or the gradient, of their shape.

    Args:
        is_grad: return the gradient with respect to the logits instead of the loss.

    Example:
        >>> logits, labels = Tensor([[0.0, 0.0], [0.0, 0.0]]), Tensor([0, 1], ms.int32)
        >>> print(ops.SparseSoftmaxCrossEntropyWithLogits()(logits, labels).asnumpy().round(3))
        0.693
        >>> print(ops.SparseSoftmaxCrossEntropyWithLogits(is_grad=True)(logits, labels))
        [[-0.25  0.25]
         [ 0.25 -0.25]]
    """

    takes = MappingProxyType({0: mstype.float_type})
    fresh = True

    @prim_attr_register
    def __init__(self, is_grad: bool = False) -> None:
        self.init_prim_io_names(inputs=["features", "labels"], outputs=["output"])

    def infer_shape(self, logits: Dims, labels: Dims) -> Dims:
        _check_rows(self.name, logits, labels)
        return logits if self.is_grad else ()

    def infer_dtype(self, logits: DType, labels: DType) -> DType:
        return logits

    def compute(self, xp: ArrayModule, logits: Array, labels: Array) -> Array:
        self.infer_shape(logits.shape, labels.shape)
        _check_labels(labels, logits.shape[1])
        if self.is_grad:
            return cross_entropy_grad(xp, logits, labels, logits.dtype.type(1 / logits.shape[0]))
        return cross_entropy(xp, logits, labels)


@bprop_getters.register(SparseSoftmaxCrossEntropyWithLogits)
def get_bprop_sparse_softmax_cross_entropy(self: SparseSoftmaxCrossEntropyWithLogits) -> Bprop:
    """(softmax(logits) - one_hot(labels)) / rows."""
    if self.is_grad:
        raise NotImplementedError(
            "SparseSoftmaxCrossEntropyWithLogits(is_grad=True) has no gradient: differentiate the loss instead"
        )

    def bprop(logits: Tensor, labels: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor | None, ...]:
        return sparse_loss_grad(logits, labels, dout), None

    return bprop


class SparseSoftmaxCrossEntropyWithLogitsGrad(PrimitiveWithInfer):
    """The gradient of `SparseSoftmaxCrossEntropyWithLogits` with respect to the logits: `(logits, labels, dout)`.

    dout * (softmax(logits) - one_hot(labels)) / N.

    Inputs: logits, a floating-point tensor of shape (N, C); labels, integers of shape (N,), from 0 to C - 1; dout, a
    scalar tensor.

    Output: a tensor of the shape and type of the logits.

    Example:
        >>> logits, labels = Tensor([[0.0, 0.0]]), Tensor([1], ms.int32)
        >>> print(ops.SparseSoftmaxCrossEntropyWithLogitsGrad()(logits, labels, Tensor(4.0)))
        [[ 2. -2.]]
    """

    takes = MappingProxyType({0: mstype.float_type, 2: mstype.float_type})
    fresh = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["features", "labels", "dout"], outputs=["dx"])

    def infer_shape(self, logits: Dims, labels: Dims, dout: Dims) -> Dims:
        _check_rows(self.name, logits, labels)
        return logits

    def infer_dtype(self, logits: DType, labels: DType, dout: DType) -> DType:
        return mstype.promote(logits, dout)

    def compute(self, xp: ArrayModule, logits: Array, labels: Array, dout: Array) -> Array:
        self.infer_shape(logits.shape, labels.shape, dout.shape)
        _check_labels(labels, logits.shape[1])
        return cross_entropy_grad(xp, logits, labels, dout / logits.dtype.type(logits.shape[0]))


sparse_loss_grad = SparseSoftmaxCrossEntropyWithLogitsGrad()


@gradient_kernel(SparseSoftmaxCrossEntropyWithLogitsGrad)
def sparse_softmax_cross_entropy_grad_gradient(
    logits: Tensor, labels: Tensor, gradient: Tensor, out: Tensor, dout: Tensor
) -> tuple[Tensor | None, ...]:
    """For s = softmax(logits) and the scalar g: the gradients of (s - one_hot(labels)) g / rows.

    The logits get s (dout - sum(s dout)) g / rows, and g gets sum((s - one_hot(labels)) dout) / rows.
    """
    rows, classes = shape_of(logits)
    s = exp(log_softmax(logits))
    share = dout * (gradient / rows)
    dlogits = s * (share - sum_kept(s * share, -1))
    difference = s - one_hot(labels, classes, cast(1.0, dtype_of(logits)), cast(0.0, dtype_of(logits)))
    return dlogits, None, reduce_sum(difference * dout, ()) / rows


class SigmoidCrossEntropyWithLogits(PrimitiveWithInfer):
    """-(label * log(sigmoid(x)) + (1 - label) * log(1 - sigmoid(x))), per element.

    Inputs: logits x; labels from 0 to 1. Both are floating-point tensors of one type, whose shapes broadcast.

    Output: a tensor of the broadcast shape and that type.

    Example:
        >>> logits, labels = Tensor([0.0, 2.0, 2.0]), Tensor([1.0, 1.0, 0.0])
        >>> print(ops.SigmoidCrossEntropyWithLogits()(logits, labels).asnumpy().round(3))
        [0.693 0.127 2.127]
    """

    takes = MappingProxyType({0: mstype.float_type, 1: mstype.float_type})

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["predict", "target"], outputs=["loss"])

    def infer_shape(self, logits: Dims, label: Dims) -> Dims:
        return broadcast(logits, label)

    def infer_dtype(self, logits: DType, label: DType) -> DType:
        return mstype.promote(logits, label)

    def compute(self, xp: ArrayModule, logits: Array, label: Array) -> Array:
        return xp.maximum(logits, 0) - logits * label + xp.log1p(xp.exp(-xp.absolute(logits)))


@gradient_kernel(SigmoidCrossEntropyWithLogits)
def sigmoid_cross_entropy_gradient(logits: Tensor, label: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
    """The logits get (sigmoid(x) - label) dout, the labels -x dout."""
    return sum_like(dout * (sigmoid(logits) - label), logits), sum_like(-(dout * logits), label)


#: Shorter name, as in MindSpore's examples.
SigmoidCrossEntropy = SigmoidCrossEntropyWithLogits
