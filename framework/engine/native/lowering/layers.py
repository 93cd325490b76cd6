"""Lowering of network layers: pooling, softmax, losses over classes.

The compiled loops (`kernels/loops`) do the work; segments call them by address.
"""

from __future__ import annotations

import ctypes
from typing import Any, Final

import numpy as np

from framework.common.threads import threads_for
from framework.engine.native.functions import function
from framework.engine.native.layouts import Layout
from framework.engine.native.lowering.generated import record
from framework.engine.native.segments import Form, Segment
from framework.ir.anf import CNode
from framework.kernels import accelerated
from framework.kernels.fused import Cluster, Input, Output, Step
from framework.kernels.loops.pooling import counts, pool_of
from framework.ops import operations as P  # noqa: N812

__all__ = ["FORMS"]

_OF_SOFTMAX: Final = 20
"""Arithmetic operations for one element of softmax, its exponential among them."""


def max_pool(segment: Segment, node: CNode) -> None:
    """The largest element that each window sees."""
    operator: Any = node.operator
    x = segment.whole(node.arguments[0])
    segment.need_floats(accelerated.max_pool, x)
    _pooled(segment, "max_pool", operator.window, x, (x,), segment.new(node))


def max_pool_grad(segment: Segment, node: CNode) -> None:
    """Its gradient with respect to the images."""
    operator: Any = node.operator
    x, y, dout = map(segment.whole, node.arguments)
    segment.need_floats(accelerated.max_pool_grad, x, y, dout)
    _pooled(segment, "max_pool_grad", operator.window, x, (x, y, dout), segment.new(node))


def _pooled(
    segment: Segment, name: str, window: Any, x: Layout, given: tuple[Layout, ...], made: Layout, *, tells: bool = True
) -> None:
    pool, _ = pool_of(x.shape, window)
    if pool is None:
        raise segment.refuse()
    segment.constants.append(pool)
    work = x.size * max(1, window.kernel[0] * window.kernel[1] // (window.stride[0] * window.stride[1]))
    segment.call(name, function(name), *given, made, ctypes.addressof(pool), x.shape[0] * x.shape[1],
                 threads_for(work), tells=tells, work=work)  # fmt: skip


def avg_pool(segment: Segment, node: CNode) -> None:
    """The mean of what each window sees."""
    operator: Any = node.operator
    x = segment.whole(node.arguments[0])
    segment.need_floats(accelerated.avg_pool, x)
    made = segment.new(node)
    _pooled(segment, "sum_pool", operator.window, x, (x,), made)
    _divided(segment, made, made, _counts(operator, x))


def avg_pool_grad(segment: Segment, node: CNode) -> None:
    """Its gradient with respect to the images."""
    operator: Any = node.operator
    dout = segment.layout(node.arguments[0])
    segment.need_floats(accelerated.avg_pool_grad, dout)
    made = segment.new(node)
    share = segment.room(dout.shape, np.float32)
    _divided(segment, segment.made_whole(dout), share, _counts(operator, made))
    _pooled(segment, "sum_pool_grad", operator.window, made, (share,), made, tells=False)


def _counts(operator: Any, x: Layout) -> Any:
    return counts(x.shape, operator.window, operator.counts_padding, operator.divisor_override)


def _divided(segment: Segment, read: Layout, made: Layout, divisors: Any) -> None:
    """Divide by how many elements windows have: a number, or one for each place of a window."""
    by = segment.constant(np.array(divisors, np.float32))
    shape = (1,) * (len(read.shape) - len(by.shape)) + by.shape
    inputs = (Input("float32", read.shape, read.shape), Input("float32", shape, by.shape))
    steps = (Step("Div", "float32", (0, 1), "float32"),)
    record(segment, Cluster(read.shape, inputs, steps, (Output(2),)), (read, by), (made,))


def _softmax(name: str, kernel: Any) -> Form:
    def form(segment: Segment, node: CNode) -> None:
        operator: Any = node.operator
        x = segment.whole(node.arguments[0])
        axes = operator.axis if isinstance(operator.axis, tuple) else (operator.axis,)
        segment.need_floats(kernel, x)
        if len(axes) != 1 or axes[0] not in (-1, len(x.shape) - 1):
            raise segment.refuse()
        width, work = x.shape[-1], _OF_SOFTMAX * x.size
        segment.call(name, function(name), x, segment.new(node), x.size // width, width, threads_for(work), work=work)

    return form


def _labels(segment: Segment, node: CNode, logits: Layout) -> Layout:
    """The labels as the loops take them, which all lie within the classes."""
    labels = segment.whole(node.arguments[1])
    if labels.dtype not in (np.int32, np.int64) or labels.shape != logits.shape[:1]:
        raise segment.refuse()
    segment.numbers_fit(labels, 0, logits.shape[1])
    if labels.dtype == np.int64:
        return labels
    wide = segment.room(labels.shape, np.int64)
    segment.call("widen", function("widen"), labels, wide, labels.size)
    return wide


def cross_entropy(segment: Segment, node: CNode) -> None:
    """The mean loss by classes."""
    operator: Any = node.operator
    logits = segment.whole(node.arguments[0])
    segment.need_floats(accelerated.cross_entropy, logits)
    if operator.is_grad:
        raise segment.refuse()
    labels = _labels(segment, node, logits)
    name = "cross_entropy_mean"
    segment.call(name, function(name), logits, labels, segment.new(node), *logits.shape, work=_OF_SOFTMAX * logits.size)


def cross_entropy_grad(segment: Segment, node: CNode) -> None:
    """Its gradient, times a number."""
    logits, factor = segment.whole(node.arguments[0]), segment.layout(node.arguments[2])
    segment.need_floats(accelerated.cross_entropy_grad, logits, factor)
    if factor.size != 1:
        raise segment.refuse()
    labels = _labels(segment, node, logits)
    name, work = "cross_entropy_mean_grad", _OF_SOFTMAX * logits.size
    segment.call(name, function(name), logits, labels, factor, segment.new(node), *logits.shape, threads_for(work),
                 work=work)  # fmt: skip


FORMS: Final[dict[Any, Form]] = {
    P.MaxPool: max_pool,
    P.MaxPoolGrad: max_pool_grad,
    P.AvgPool: avg_pool,
    P.AvgPoolGrad: avg_pool_grad,
    P.Softmax: _softmax("softmax", accelerated.softmax_),
    P.LogSoftmax: _softmax("log_softmax", accelerated.log_softmax),
    P.SparseSoftmaxCrossEntropyWithLogits: cross_entropy,
    P.SparseSoftmaxCrossEntropyWithLogitsGrad: cross_entropy_grad,
}
