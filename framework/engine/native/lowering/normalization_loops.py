"""Lowering of layer and batch normalization, forward and backward, to the compiled loops."""

from __future__ import annotations

from math import prod
from typing import Any, Final

import numpy as np

from framework.common.threads import threads_for
from framework.engine.native.functions import function
from framework.engine.native.layouts import Layout
from framework.engine.native.lowering.generated import record
from framework.engine.native.lowering.structural import outputs_of
from framework.engine.native.segments import Form, Segment
from framework.ir.anf import CNode
from framework.kernels import accelerated, updates
from framework.kernels.loops.normalization import PARTS
from framework.ops import operations as P  # noqa: N812
from framework.ops.shapes import normal_axis

__all__ = ["FORMS"]

_OPERATIONS: Final = 8
"""Arithmetic operations for one element."""


def layer_norm(segment: Segment, node: CNode) -> None:
    """The normalized x, mean and variance."""
    operator: Any = node.operator
    x, gamma, beta = map(segment.whole, node.arguments)
    segment.need_floats(accelerated.layer_norm, x, gamma, beta)
    if gamma.shape != x.shape[normal_axis(operator.begin_norm_axis, len(x.shape)) :]:
        raise segment.refuse()
    made = segment.new_of_several(node, outputs_of(node))
    segment.set(node, made)
    work = _OPERATIONS * x.size
    segment.call("layer_norm", function("layer_norm"), x, gamma, beta, float(operator.epsilon), *made,
                 x.size // gamma.size, gamma.size, threads_for(work), work=work)  # fmt: skip


def layer_norm_grad(segment: Segment, node: CNode) -> None:
    """The gradients with respect to x, gamma and beta."""
    operator: Any = node.operator
    x, dy, variance, mean, gamma = map(segment.whole, node.arguments)
    segment.need_floats(accelerated.layer_norm_grad, x, dy, variance, mean, gamma)
    if gamma.shape != x.shape[normal_axis(operator.begin_norm_axis, len(x.shape)) :]:
        raise segment.refuse()
    dx, dgamma, dbeta = made = segment.new_of_several(node, outputs_of(node))
    segment.set(node, made)
    width = gamma.size
    rows = x.size // width
    parts, work = min(PARTS, rows), _OPERATIONS * x.size
    sums = [segment.room((parts, width), np.float32) for _ in range(2)]
    segment.call("layer_norm_grad", function("layer_norm_grad"), x, dy, gamma, mean, variance, float(operator.epsilon),
                 dx, *sums, rows, width, parts, threads_for(work), work=work)  # fmt: skip
    for part, whole in zip(sums, (dgamma, dbeta), strict=True):
        segment.call("sum_axis", function("sum_axis"), part, whole, 1, parts, width, 1.0)


def batch_norm(segment: Segment, node: CNode) -> None:
    """The normalized x in training, and the moving mean and variance in place."""
    operator: Any = node.operator
    x, scale, bias = map(segment.whole, node.arguments[:3])
    segment.need_floats(accelerated.batch_norm, x, scale, bias)
    if not operator.is_training:
        raise segment.refuse()
    moving = segment.written(node, 3), segment.written(node, 4)
    segment.need_floats(accelerated.batch_norm, *moving)
    abstracts = outputs_of(node)
    out, _, _, mean, variance = made = segment.new_of_several(node, abstracts, {1: moving[0], 2: moving[1]})
    segment.set(node, made)
    work = _OPERATIONS * x.size
    segment.call("batch_norm", function("batch_norm"), x, scale, bias, float(operator.epsilon), out, mean, variance,
                 *_sizes(x), threads_for(work), work=work)  # fmt: skip
    count = x.size // x.shape[1]
    cluster = updates.moving_cluster(operator.momentum, count)
    record(segment, cluster, (*moving, mean, variance), moving)


def batch_norm_grad(segment: Segment, node: CNode) -> None:
    """The gradients with respect to x, scale and bias."""
    operator: Any = node.operator
    dy, x, scale, mean, variance = map(segment.whole, node.arguments)
    segment.need_floats(accelerated.batch_norm_grad, dy, x, scale, mean, variance)
    made = segment.new_of_several(node, outputs_of(node))
    segment.set(node, made)
    work = _OPERATIONS * x.size
    segment.call("batch_norm_grad", function("batch_norm_grad"), x, dy, scale, mean, variance, float(operator.epsilon),
                 *made, *_sizes(x), threads_for(work), work=work)  # fmt: skip


def _sizes(x: Layout) -> tuple[int, int, int]:
    """Images, channels, and elements of one channel of an image."""
    return x.shape[0], x.shape[1], prod(x.shape[2:])


FORMS: Final[dict[Any, Form]] = {
    P.LayerNorm: layer_norm,
    P.LayerNormGrad: layer_norm_grad,
    P.BatchNorm: batch_norm,
    P.BatchNormGrad: batch_norm_grad,
}
