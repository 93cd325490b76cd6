"""Losses."""

from __future__ import annotations

from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.ops.operations.shapes import Dims, broadcast
from framework.ops.primitive import PrimitiveWithInfer, prim_attr_register

__all__ = [
    "L2Loss",
    "SigmoidCrossEntropyWithLogits",
    "SmoothL1Loss",
    "SoftmaxCrossEntropyWithLogits",
    "SparseSoftmaxCrossEntropyWithLogits",
    "SparseSoftmaxCrossEntropyWithLogitsGrad",
]


class SoftmaxCrossEntropyWithLogits(PrimitiveWithInfer):
    """-sum(labels * log_softmax(logits)) per row, for labels that are distributions over classes.

    Outputs: the loss per row; softmax(logits) - labels, a by-product without a gradient of its own.
    """

    fresh = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["features", "labels"], outputs=["loss", "backprop"])

    def infer_shape(self, logits: Dims, labels: Dims) -> tuple[Dims, Dims]:
        if len(logits) != 2 or logits[1] != labels[-1]:
            raise ValueError(f"{self.name}: logits {logits} and labels {labels} must be matrices of one shape")
        return (logits[0],), logits

    def infer_dtype(self, logits: DType, labels: DType) -> tuple[DType, DType]:
        return logits, logits

    def compute(self, xp: Any, logits: Any, labels: Any) -> Any:
        self.infer_shape(logits.shape, labels.shape)
        log_softmax = _log_softmax(xp, logits)
        return -(labels * log_softmax).sum(axis=-1), xp.exp(log_softmax) - labels


class SparseSoftmaxCrossEntropyWithLogits(PrimitiveWithInfer):
    """The mean over rows of -log_softmax(logits) at the class that the label names.

    Args:
        is_grad: return the gradient with respect to the logits instead.

    """

    fresh = True

    @prim_attr_register
    def __init__(self, is_grad: bool = False) -> None:
        self.init_prim_io_names(inputs=["features", "labels"], outputs=["output"])

    def infer_shape(self, logits: Dims, labels: Dims) -> Dims:
        if len(logits) != 2 or len(labels) != 1:
            raise ValueError(f"{self.name}: logits {logits} must be a matrix, labels {labels} a vector of classes")
        return logits if self.is_grad else ()

    def infer_dtype(self, logits: DType, labels: DType) -> DType:
        return logits

    def compute(self, xp: Any, logits: Any, labels: Any) -> Any:
        self.infer_shape(logits.shape, labels.shape)
        log_softmax = _log_softmax(xp, logits)
        rows = xp.arange(logits.shape[0])
        if self.is_grad:
            grad = xp.exp(log_softmax)
            grad[rows, labels] -= 1
            return grad / logits.dtype.type(logits.shape[0])
        return -log_softmax[rows, labels].mean()


class SparseSoftmaxCrossEntropyWithLogitsGrad(PrimitiveWithInfer):
    """The gradient of the mean loss with respect to the logits, times a number: `(logits, labels, dout)`."""

    fresh = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["features", "labels", "dout"], outputs=["dx"])

    def infer_shape(self, logits: Dims, labels: Dims, dout: Dims) -> Dims:
        return logits

    def infer_dtype(self, logits: DType, labels: DType, dout: DType) -> DType:
        return logits

    def compute(self, xp: Any, logits: Any, labels: Any, dout: Any) -> Any:
        grad = xp.exp(_log_softmax(xp, logits))
        grad[xp.arange(logits.shape[0]), labels] -= 1
        return grad * (dout / logits.dtype.type(logits.shape[0]))


class SigmoidCrossEntropyWithLogits(PrimitiveWithInfer):
    """-(label * log(sigmoid(x)) + (1 - label) * log(1 - sigmoid(x))), per element."""

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["predict", "target"], outputs=["loss"])

    def infer_shape(self, logits: Dims, label: Dims) -> Dims:
        return broadcast(logits, label)

    def infer_dtype(self, logits: DType, label: DType) -> DType:
        return mstype.promote(logits, label)

    def compute(self, xp: Any, logits: Any, label: Any) -> Any:
        return xp.maximum(logits, 0) - logits * label + xp.log1p(xp.exp(-xp.absolute(logits)))


class SmoothL1Loss(PrimitiveWithInfer):
    """With d = |prediction - target|: d * d / (2 * beta) below beta, d - beta / 2 above (Girshick 2015).

    Args:
        beta: where it changes from a parabola to a line.
        reduction: "none", "mean" or "sum".

    """

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
    """Half the sum of squares."""

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x"], outputs=["y"])

    def infer_shape(self, x: Dims) -> Dims:
        return ()

    def infer_dtype(self, x: DType) -> DType:
        return x

    def compute(self, xp: Any, x: Any) -> Any:
        return xp.square(x).sum() / x.dtype.type(2)


def _log_softmax(xp: Any, logits: Any) -> Any:
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - xp.log(xp.exp(shifted).sum(axis=-1, keepdims=True))
