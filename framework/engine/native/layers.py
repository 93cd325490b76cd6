"""The native forms of what layers of networks do: pooling, softmax, losses by classes, normalization.

The compiled loops do the work (`kernels/loops`), by the addresses of their functions.
"""

from __future__ import annotations

import ctypes
from typing import Any, Final

import numpy as np

from framework.common.threads import threads_for
from framework.engine.native.functions import function
from framework.engine.native.layouts import Layout
from framework.engine.native.segments import Form, Segment
from framework.engine.native.structural import outputs_of
from framework.ir.anf import CNode
from framework.kernels import accelerated
from framework.kernels.loops.normalization import PARTS
from framework.kernels.loops.pooling import pool_of
from framework.ops import operations as P  # noqa: N812
from framework.ops.operations.shapes import normal_axis

__all__ = ["FORMS"]

# Arithmetic operations for one element of softmax, its exponential among them, and of a normalization.
_OF_SOFTMAX, _OF_NORM = 20, 8


def _floats(segment: Segment, kernel: Any, *layouts: Layout) -> None:
    """Refuse what the compiled loops do not do."""
    if not kernel.is_fast or any(item.dtype != np.float32 for item in layouts):
        raise segment.refuse()


def max_pool(segment: Segment, node: CNode) -> None:
    """The largest element that each window sees."""
    operator: Any = node.operator
    x = segment.whole(node.arguments[0])
    _floats(segment, accelerated.max_pool, x)
    _pooled(segment, "max_pool", operator.window, x, (x,), segment.new(node))


def max_pool_grad(segment: Segment, node: CNode) -> None:
    """Its gradient with respect to the images."""
    operator: Any = node.operator
    x, y, dout = map(segment.whole, node.arguments)
    _floats(segment, accelerated.max_pool_grad, x, y, dout)
    _pooled(segment, "max_pool_grad", operator.window, x, (x, y, dout), segment.new(node))


def _pooled(segment: Segment, name: str, window: Any, x: Layout, given: tuple[Layout, ...], made: Layout) -> None:
    pool, _ = pool_of(x.shape, window)
    if pool is None:
        raise segment.refuse()
    segment.constants.append(pool)
    work = x.size * max(1, window.kernel[0] * window.kernel[1] // (window.stride[0] * window.stride[1]))
    segment.call(name, function(name), *given, made, ctypes.addressof(pool), x.shape[0] * x.shape[1],
                 threads_for(work), tells=True, work=work)  # fmt: skip


def _softmax(name: str, kernel: Any) -> Form:
    def form(segment: Segment, node: CNode) -> None:
        operator: Any = node.operator
        x = segment.whole(node.arguments[0])
        axes = operator.axis if isinstance(operator.axis, tuple) else (operator.axis,)
        _floats(segment, kernel, x)
        if len(axes) != 1 or axes[0] not in (-1, len(x.shape) - 1):
            raise segment.refuse()
        width, work = x.shape[-1], _OF_SOFTMAX * x.size
        segment.call(name, function(name), x, segment.new(node), x.size // width, width, threads_for(work), work=work)

    return form


def _labels(segment: Segment, node: CNode, logits: Layout) -> Layout:
    """The labels as the loops take them, which all lie within the classes."""
    labels = segment.layout(node.arguments[1])
    if labels.dtype not in (np.int32, np.int64) or labels.shape != logits.shape[:1] or not labels.is_whole:
        raise segment.refuse()
    size = labels.dtype.itemsize
    segment.guard("labels_fit", function("labels_fit"), labels, labels.size, logits.shape[1], size)
    if labels.dtype == np.int64:
        return labels
    wide = segment.room(labels.shape, np.int64)
    segment.call("widen", function("widen"), labels, wide, labels.size)
    return wide


def cross_entropy(segment: Segment, node: CNode) -> None:
    """The mean loss by classes."""
    operator: Any = node.operator
    logits = segment.whole(node.arguments[0])
    _floats(segment, accelerated.cross_entropy, logits)
    if operator.is_grad:
        raise segment.refuse()
    labels = _labels(segment, node, logits)
    name = "cross_entropy_mean"
    segment.call(name, function(name), logits, labels, segment.new(node), *logits.shape, work=_OF_SOFTMAX * logits.size)


def cross_entropy_grad(segment: Segment, node: CNode) -> None:
    """Its gradient, times a number."""
    logits, factor = segment.whole(node.arguments[0]), segment.layout(node.arguments[2])
    _floats(segment, accelerated.cross_entropy_grad, logits, factor)
    if factor.size != 1:
        raise segment.refuse()
    labels = _labels(segment, node, logits)
    name, work = "cross_entropy_mean_grad", _OF_SOFTMAX * logits.size
    segment.call(name, function(name), logits, labels, factor, segment.new(node), *logits.shape, threads_for(work),
                 work=work)  # fmt: skip


def layer_norm(segment: Segment, node: CNode) -> None:
    """The normalized x, mean and variance."""
    operator: Any = node.operator
    x, gamma, beta = map(segment.whole, node.arguments)
    _floats(segment, accelerated.layer_norm, x, gamma, beta)
    if gamma.shape != x.shape[normal_axis(operator.begin_norm_axis, len(x.shape)) :]:
        raise segment.refuse()
    made = segment.new_of_several(node, outputs_of(node))
    segment.set(node, made)
    work = _OF_NORM * x.size
    segment.call("layer_norm", function("layer_norm"), x, gamma, beta, float(operator.epsilon), *made,
                 x.size // gamma.size, gamma.size, threads_for(work), work=work)  # fmt: skip


def layer_norm_grad(segment: Segment, node: CNode) -> None:
    """The gradients with respect to x, gamma and beta."""
    operator: Any = node.operator
    x, dy, variance, mean, gamma = map(segment.whole, node.arguments)
    _floats(segment, accelerated.layer_norm_grad, x, dy, variance, mean, gamma)
    if gamma.shape != x.shape[normal_axis(operator.begin_norm_axis, len(x.shape)) :]:
        raise segment.refuse()
    dx, dgamma, dbeta = made = segment.new_of_several(node, outputs_of(node))
    segment.set(node, made)
    width = gamma.size
    rows = x.size // width
    parts, work = min(PARTS, rows), _OF_NORM * x.size
    sums = [segment.room((parts, width), np.float32) for _ in range(2)]
    segment.call("layer_norm_grad", function("layer_norm_grad"), x, dy, gamma, mean, variance, float(operator.epsilon),
                 dx, *sums, rows, width, parts, threads_for(work), work=work)  # fmt: skip
    for part, whole in zip(sums, (dgamma, dbeta), strict=True):
        segment.call("sum_axis", function("sum_axis"), part, whole, 1, parts, width, 1.0)


FORMS: Final[dict[Any, Form]] = {
    P.MaxPool: max_pool,
    P.MaxPoolGrad: max_pool_grad,
    P.Softmax: _softmax("softmax", accelerated.softmax_),
    P.LogSoftmax: _softmax("log_softmax", accelerated.log_softmax),
    P.SparseSoftmaxCrossEntropyWithLogits: cross_entropy,
    P.SparseSoftmaxCrossEntropyWithLogitsGrad: cross_entropy_grad,
    P.LayerNorm: layer_norm,
    P.LayerNormGrad: layer_norm_grad,
}
