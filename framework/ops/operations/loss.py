"""Losses."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.kernels.accelerated import cross_entropy, cross_entropy_grad, log_softmax
from framework.ops.operations.shapes import Dims, broadcast
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = [
    "L2Loss",
    "SigmoidCrossEntropy",
    "SigmoidCrossEntropyWithLogits",
    "SmoothL1Loss",
    "SoftmaxCrossEntropy",
    "SoftmaxCrossEntropyWithLogits",
    "SparseSoftmaxCrossEntropyWithLogits",
    "SparseSoftmaxCrossEntropyWithLogitsGrad",
]


class SoftmaxCrossEntropyWithLogits(PrimitiveWithInfer):
    """-sum(labels * log_softmax(logits)) per row, for labels that are distributions over classes.

    Inputs: logits, a floating-point tensor of shape (N, C); labels, of the same shape and type. Outputs: the loss per
    row, (N,); softmax(logits) - labels, (N, C), a by-product without a gradient of its own.

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

    def compute(self, xp: Any, logits: Any, labels: Any) -> Any:
        self.infer_shape(logits.shape, labels.shape)
        logarithms = log_softmax(xp, logits, -1)
        return -(labels * logarithms).sum(axis=-1), xp.exp(logarithms) - labels


#: What MindSpore's papers call it.
SoftmaxCrossEntropy = SoftmaxCrossEntropyWithLogits


class SparseSoftmaxCrossEntropyWithLogits(PrimitiveWithInfer):
    """The mean over rows of -log_softmax(logits) at the class that the label names.

    Inputs: logits, a floating-point tensor of shape (N, C); labels, (N,) integers from 0 to C - 1. Output: a scalar
    tensor of the logits' type, or the gradient, of their shape.

    Args:
        is_grad: return the gradient with respect to the logits instead.

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

    def compute(self, xp: Any, logits: Any, labels: Any) -> Any:
        self.infer_shape(logits.shape, labels.shape)
        _check_labels(labels, logits.shape[1])
        if self.is_grad:
            return cross_entropy_grad(xp, logits, labels, logits.dtype.type(1 / logits.shape[0]))
        return cross_entropy(xp, logits, labels)


class SparseSoftmaxCrossEntropyWithLogitsGrad(PrimitiveWithInfer):
    """The gradient of the mean loss with respect to the logits, times a number: `(logits, labels, dout)`.

    dout * (softmax(logits) - one_hot(labels)) / N.

    Inputs: logits, a floating-point tensor of shape (N, C); labels, (N,) integers from 0 to C - 1; dout, a scalar
    tensor. Output: a tensor of the logits' shape and type.

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

    def compute(self, xp: Any, logits: Any, labels: Any, dout: Any) -> Any:
        self.infer_shape(logits.shape, labels.shape, dout.shape)
        _check_labels(labels, logits.shape[1])
        return cross_entropy_grad(xp, logits, labels, dout / logits.dtype.type(logits.shape[0]))


class SigmoidCrossEntropyWithLogits(PrimitiveWithInfer):
    """-(label * log(sigmoid(x)) + (1 - label) * log(1 - sigmoid(x))), per element.

    Inputs: logits x; labels, from 0 to 1: floating-point tensors of one type, whose shapes broadcast. Output: a tensor
    of the broadcast shape and that type.

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

    def compute(self, xp: Any, logits: Any, label: Any) -> Any:
        return xp.maximum(logits, 0) - logits * label + xp.log1p(xp.exp(-xp.absolute(logits)))


#: What MindSpore's papers call it.
SigmoidCrossEntropy = SigmoidCrossEntropyWithLogits


class SmoothL1Loss(PrimitiveWithInfer):
    """With d = |prediction - target|: d * d / (2 * beta) below beta, d - beta / 2 above (Girshick 2015).

    Inputs: prediction and target, floating-point tensors of one shape and type. Output: a tensor of that shape, or a
    scalar tensor, of that type.

    Args:
        beta: where it changes from a parabola to a line.
        reduction: "none": the loss of each element; "mean" or "sum": theirs.

    Example:
        >>> x, y = Tensor([1.0, 2.0, 5.0]), Tensor([1.0, 1.5, 1.0])
        >>> print(ops.SmoothL1Loss()(x, y))
        [0.    0.125 3.5  ]
        >>> print(ops.SmoothL1Loss(reduction="sum")(x, y))
        3.625
    """

    takes = MappingProxyType({0: mstype.float_type, 1: mstype.float_type})

    @prim_attr_register
    def __init__(self, beta: float = 1.0, reduction: str = "none") -> None:
        self.init_prim_io_names(inputs=["prediction", "target"], outputs=["output"])
        if reduction not in ("none", "mean", "sum"):
            raise ValueError(f"SmoothL1Loss: reduction must be none, mean or sum, not {reduction!r}")

    def infer_shape(self, prediction: Dims, target: Dims) -> Dims:
        if prediction != target:
            raise ValueError(f"SmoothL1Loss: prediction {prediction} and target {target} must have one shape")
        return prediction if self.reduction == "none" else ()

    def infer_dtype(self, prediction: DType, target: DType) -> DType:
        return mstype.promote(prediction, target)

    def compute(self, xp: Any, prediction: Any, target: Any) -> Any:
        self.infer_shape(prediction.shape, target.shape)
        distance = xp.absolute(prediction - target)
        beta = distance.dtype.type(self.beta)
        loss = xp.where(distance < beta, xp.square(distance) / (2 * beta), distance - beta / 2)
        return loss if self.reduction == "none" else getattr(loss, self.reduction)()


class L2Loss(PrimitiveWithInfer):
    """Half the sum of squares: sum(x * x) / 2.

    Inputs: a floating-point tensor of any shape. Output: a scalar tensor of its type.

    Example:
        >>> print(ops.L2Loss()(Tensor([[1.0, 2.0], [3.0, 0.0]])))
        7.0
    """

    takes = MappingProxyType({0: mstype.float_type})

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def infer_shape(self, x: Dims) -> Dims:
        return ()

    def infer_dtype(self, x: DType) -> DType:
        return x

    def compute(self, xp: Any, x: Any) -> Any:
        return xp.square(x).sum() / x.dtype.type(2)


def _agree(first: Dims, second: Dims) -> bool:
    """Whether two shapes are, or may turn out to be, the same."""
    return len(first) == len(second) and all(
        a == b or a is None or b is None for a, b in zip(first, second, strict=True)
    )


def _check_rows(name: str, logits: Dims, labels: Dims) -> None:
    """Refuse labels that are not one for each row: fewer would be repeated, and nobody would notice."""
    if len(logits) != 2 or not _agree(logits[:1], labels):
        raise ValueError(
            f"{name}: logits {logits} must be a matrix, labels {labels} a vector of classes, one for each of its rows"
        )


def _check_labels(labels: Any, classes: int) -> None:
    """Refuse labels that name no class; a negative one would count from the end."""
    if labels.size and not 0 <= labels.min() <= labels.max() < classes:
        raise ValueError(f"labels from {labels.min()} to {labels.max()} must lie from 0 to {classes - 1}")
