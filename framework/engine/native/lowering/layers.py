"""Lowering of network layers: pooling, softmax, losses over classes.

The compiled loops (`kernels/loops`) do the work; segments call them by address.
"""

from __future__ import annotations

import ctypes
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from framework.common.threads import threads_for
from framework.engine.native.addresses import loop_address
from framework.engine.native.layouts import Layout
from framework.engine.native.lowering.generated import record
from framework.engine.native.segments import Lowering, Segment
from framework.ir.anf import CNode
from framework.kernels import accelerated
from framework.kernels.choices import Kernel
from framework.kernels.fused import Cluster, Input, Output, Step
from framework.kernels.loops.pooling import counts, pool_of
from framework.kernels.windows import Window
from framework.ops import operations as P  # noqa: N812

__all__ = ["LOWERINGS"]

_SOFTMAX_WORK: Final = 20
"""The arithmetic operations for one element of softmax, with those of its exponential."""


def max_pool(segment: Segment, node: CNode) -> None:
    """The maximum of each window."""
    operator: P.MaxPool = node.operator
    x = segment.contiguous(node.arguments[0])
    segment.require_float32(accelerated.max_pool, x)
    _pooled(segment, "max_pool", operator.window, x, (x,), segment.output(node))


def max_pool_grad(segment: Segment, node: CNode) -> None:
    """The gradient of `max_pool` with respect to its input."""
    operator: P.MaxPoolGrad = node.operator
    x, y, dout = map(segment.contiguous, node.arguments)
    segment.require_float32(accelerated.max_pool_grad, x, y, dout)
    _pooled(segment, "max_pool_grad", operator.window, x, (x, y, dout), segment.output(node))


def _pooled(
    segment: Segment,
    name: str,
    window: Window,
    x: Layout,
    given: tuple[Layout, ...],
    made: Layout,
    *,
    returns_status: bool = True,
) -> None:
    pool, _ = pool_of(x.shape, window)
    if pool is None:
        raise segment.cannot_lower()
    segment.constants.append(pool)
    work = x.size * max(1, window.kernel[0] * window.kernel[1] // (window.stride[0] * window.stride[1]))
    segment.call(name, loop_address(name), *given, made, ctypes.addressof(pool), x.shape[0] * x.shape[1],
                 threads_for(work), returns_status=returns_status, work=work)  # fmt: skip


def avg_pool(segment: Segment, node: CNode) -> None:
    """The mean of each window."""
    operator: P.AvgPool = node.operator
    x = segment.contiguous(node.arguments[0])
    segment.require_float32(accelerated.avg_pool, x)
    made = segment.output(node)
    _pooled(segment, "sum_pool", operator.window, x, (x,), made)
    _divide(segment, made, made, _counts(operator, x))


def avg_pool_grad(segment: Segment, node: CNode) -> None:
    """The gradient of `avg_pool` with respect to its input."""
    operator: P.AvgPoolGrad = node.operator
    dout = segment.layout(node.arguments[0])
    segment.require_float32(accelerated.avg_pool_grad, dout)
    made = segment.output(node)
    share = segment.scratch(dout.shape, np.float32)
    _divide(segment, segment.as_contiguous(dout), share, _counts(operator, made))
    _pooled(segment, "sum_pool_grad", operator.window, made, (share,), made, returns_status=False)


def _counts(operator: P.AvgPool | P.AvgPoolGrad, x: Layout) -> npt.ArrayLike:
    """The number of elements that each window averages."""
    made: npt.ArrayLike = counts(x.shape, operator.window, operator.counts_padding, operator.divisor_override)
    return made


def _divide(segment: Segment, read: Layout, made: Layout, divisors: npt.ArrayLike) -> None:
    """Divide by the number of elements in windows: one number, or one for each position of a window."""
    by = segment.constant(np.array(divisors, np.float32))
    shape = (1,) * (len(read.shape) - len(by.shape)) + by.shape
    inputs = (Input("float32", read.shape, read.shape), Input("float32", shape, by.shape))
    steps = (Step("Div", "float32", (0, 1), "float32"),)
    record(segment, Cluster(read.shape, inputs, steps, (Output(2),)), (read, by), (made,))


def _softmax(name: str, kernel: Kernel) -> Lowering:
    """The lowering of softmax or its logarithm over the last axis."""

    def lowering(segment: Segment, node: CNode) -> None:
        operator: P.Softmax | P.LogSoftmax = node.operator
        x = segment.contiguous(node.arguments[0])
        axes = operator.axis if isinstance(operator.axis, tuple) else (operator.axis,)
        segment.require_float32(kernel, x)
        if len(axes) != 1 or axes[0] not in (-1, len(x.shape) - 1):
            raise segment.cannot_lower()
        width, work = x.shape[-1], _SOFTMAX_WORK * x.size
        segment.call(
            name, loop_address(name), x, segment.output(node), x.size // width, width, threads_for(work), work=work
        )

    return lowering


def _labels(segment: Segment, node: CNode, logits: Layout) -> Layout:
    """The layout of the labels as Int64, with a guard that each names a class."""
    labels = segment.contiguous(node.arguments[1])
    if labels.dtype not in (np.int32, np.int64) or labels.shape != logits.shape[:1]:
        raise segment.cannot_lower()
    segment.guard_range(labels, 0, logits.shape[1])
    if labels.dtype == np.int64:
        return labels
    wide = segment.scratch(labels.shape, np.int64)
    segment.call("widen", loop_address("widen"), labels, wide, labels.size)
    return wide


def cross_entropy(segment: Segment, node: CNode) -> None:
    """The mean cross entropy of logits and labels."""
    operator: P.SparseSoftmaxCrossEntropyWithLogits = node.operator
    logits = segment.contiguous(node.arguments[0])
    segment.require_float32(accelerated.cross_entropy, logits)
    if operator.is_grad:
        raise segment.cannot_lower()
    labels = _labels(segment, node, logits)
    name = "cross_entropy_mean"
    segment.call(
        name, loop_address(name), logits, labels, segment.output(node), *logits.shape, work=_SOFTMAX_WORK * logits.size
    )


def cross_entropy_grad(segment: Segment, node: CNode) -> None:
    """The gradient of `cross_entropy`, times a number."""
    logits, factor = segment.contiguous(node.arguments[0]), segment.layout(node.arguments[2])
    segment.require_float32(accelerated.cross_entropy_grad, logits, factor)
    if factor.size != 1:
        raise segment.cannot_lower()
    labels = _labels(segment, node, logits)
    name, work = "cross_entropy_mean_grad", _SOFTMAX_WORK * logits.size
    segment.call(name, loop_address(name), logits, labels, factor, segment.output(node), *logits.shape,
                 threads_for(work), work=work)  # fmt: skip


LOWERINGS: Final[dict[Any, Lowering]] = {
    P.MaxPool: max_pool,
    P.MaxPoolGrad: max_pool_grad,
    P.AvgPool: avg_pool,
    P.AvgPoolGrad: avg_pool_grad,
    P.Softmax: _softmax("softmax", accelerated.softmax_),
    P.LogSoftmax: _softmax("log_softmax", accelerated.log_softmax),
    P.SparseSoftmaxCrossEntropyWithLogits: cross_entropy,
    P.SparseSoftmaxCrossEntropyWithLogitsGrad: cross_entropy_grad,
}
