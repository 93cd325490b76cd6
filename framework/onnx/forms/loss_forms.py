"""Losses of classes and of numbers."""

from __future__ import annotations

import numpy as np

from framework.common import dtype as mstype
from framework.onnx.forms.form_table import Application, Written, form
from framework.onnx.writer.nodes import UnwritableError

__all__: list[str] = []


def reduced(a: Application, losses: str, reduction: str) -> str:
    """Losses, or their mean or sum."""
    if reduction == "none":
        return losses
    return a.reduce("ReduceMean" if reduction == "mean" else "ReduceSum", losses, None, False)


def hits(a: Application, labels: int, logits: int) -> str:
    """Whether a class is the one that the label says, (N, C) Bool."""
    classes = a.shape(logits)[-1]
    if classes is None:
        raise UnwritableError("the number of classes is open")
    numbers = a.constant(np.arange(classes), mstype.int64)
    return a.emit("Equal", a.unsqueeze(a.of(labels, mstype.int64), 1), numbers)


def cross_entropy_gradient(a: Application) -> str:
    """The gradient of the mean of cross-entropies: (softmax - one-hot) / N."""
    dtype = a.dtype(0)
    hot = a.cast(hits(a, 1, 0), dtype)
    distance = a.emit("Sub", a.emit("Softmax", a.of(0), axis=1), hot)
    rows = a.cast(a.emit("Gather", a.emit("Shape", a.of(0)), a.number(0, mstype.int64)), dtype)
    return a.emit("Div", distance, rows)


@form("SparseSoftmaxCrossEntropyWithLogits")
def sparse_cross_entropy(a: Application) -> Written:
    if a.operator.is_grad:
        return cross_entropy_gradient(a)
    return a.emit("SoftmaxCrossEntropyLoss", a.of(0), a.of(1), reduction="mean")


@form("SparseSoftmaxCrossEntropyWithLogitsGrad")
def sparse_cross_entropy_gradient(a: Application) -> Written:
    return a.emit("Mul", cross_entropy_gradient(a), a.of(2, a.out.dtype))


@form("SoftmaxCrossEntropyWithLogits")
def cross_entropy(a: Application) -> Written:
    dtype = a.out.dtype
    logits, labels = a.of(0, dtype), a.of(1, dtype)
    products = a.emit("Mul", labels, a.emit("LogSoftmax", logits, axis=1))
    loss = a.emit("Neg", a.reduce("ReduceSum", products, [1], False))
    return loss, a.emit("Sub", a.emit("Softmax", logits, axis=1), labels)


@form("NLLLoss")
def negative_likelihood(a: Application) -> Written:
    weights = [a.of(2)] if len(a) > 2 and getattr(a.inputs[2], "value", 0) is not None else []
    ignored = a.operator.ignore_index
    flags = {} if ignored is None else {"ignore_index": int(ignored)}
    reduction = str(a.operator.reduction)
    if reduction != "none":
        raise UnwritableError("the weight of all rows, its second output, has no form: use reduction='none'")
    loss = a.emit("NegativeLogLikelihoodLoss", a.of(0), a.of(1), *weights, reduction=reduction, **flags)
    return loss, loss


@form("KLDivLoss")
def divergence(a: Application) -> Written:
    """target (log(target) - x), 0 where the target is 0."""
    x, target = a.of(0, a.out.dtype), a.of(1, a.out.dtype)
    zero = a.number(0)
    positive = a.emit("Greater", target, zero)
    logarithm = a.emit("Log", a.emit("Where", positive, target, a.number(1)))
    loss = a.emit("Where", positive, a.emit("Mul", target, a.emit("Sub", logarithm, x)), zero)
    if a.operator.reduction == "batchmean":
        whole = a.reduce("ReduceSum", loss, None, False)
        return a.emit("Div", whole, a.number(a.known(0)[0]))
    return reduced(a, loss, a.operator.reduction)


@form("SigmoidCrossEntropyWithLogits")
def sigmoid_cross_entropy(a: Application) -> Written:
    """max(x, 0) - x y + log(1 + exp(-|x|))."""
    dtype = a.out.dtype
    x, y = a.of(0, dtype), a.of(1, dtype)
    plain = a.emit("Sub", a.emit("Relu", x), a.emit("Mul", x, y))
    return a.emit("Add", plain, a.emit("Softplus", a.emit("Neg", a.emit("Abs", x))))


@form("BCEWithLogitsLoss")
def binary_cross_entropy_with_logits(a: Application) -> Written:
    """Weighted (1 - y) x + (1 + (p - 1) y) (log(1 + exp(-|x|)) + max(-x, 0)), where p weighs the positive class."""
    dtype = a.out.dtype
    x, y, weight, positive = (a.of(place, dtype) for place in range(4))
    one = a.number(1, dtype)
    share = a.emit("Add", one, a.emit("Mul", a.emit("Sub", positive, one), y))
    soft = a.emit("Softplus", a.emit("Neg", a.emit("Abs", x)))
    tail = a.emit("Mul", share, a.emit("Add", soft, a.emit("Relu", a.emit("Neg", x))))
    loss = a.emit("Add", a.emit("Mul", a.emit("Sub", one, y), x), tail)
    return reduced(a, a.emit("Mul", loss, weight), a.operator.reduction)


@form("SmoothL1Loss")
def smooth_l1(a: Application) -> Written:
    dtype = a.out.dtype
    beta = float(a.operator.beta)
    distance = a.emit("Abs", a.emit("Sub", a.of(0, dtype), a.of(1, dtype)))
    parabola = a.emit("Div", a.emit("Mul", distance, distance), a.number(2 * beta or 1, dtype))
    line = a.emit("Sub", distance, a.number(beta / 2, dtype))
    near = a.emit("Less", distance, a.number(beta, dtype))
    return reduced(a, a.emit("Where", near, parabola, line), a.operator.reduction)
