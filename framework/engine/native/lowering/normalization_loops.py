"""Lowering of layer and batch normalization, forward and backward, to the compiled loops."""

from __future__ import annotations

from math import prod
from typing import Any, Final

import numpy as np

from framework.common.threads import threads_for
from framework.engine.native.addresses import loop_address
from framework.engine.native.layouts import Layout
from framework.engine.native.lowering.generated import record
from framework.engine.native.lowering.structural import outputs_of
from framework.engine.native.segments import Lowering, Segment
from framework.ir.anf import CNode
from framework.kernels import accelerated, updates
from framework.kernels.loops.normalization import PARTS
from framework.ops import operations as P  # noqa: N812
from framework.ops.shapes import normal_axis

__all__ = ["LOWERINGS"]

_NORMALIZATION_WORK: Final = 8
"""The arithmetic operations for one element."""


def layer_norm(segment: Segment, node: CNode) -> None:
    """Layer normalization: the normalized x, mean and variance."""
    operator: P.LayerNorm = node.operator
    x, gamma, beta = map(segment.contiguous, node.arguments)
    segment.require_float32(accelerated.layer_norm, x, gamma, beta)
    if gamma.shape != x.shape[normal_axis(operator.begin_norm_axis, len(x.shape)) :]:
        raise segment.cannot_lower()
    made = segment.outputs_of(node, outputs_of(node))
    segment.define(node, made)
    work = _NORMALIZATION_WORK * x.size
    segment.call("layer_norm", loop_address("layer_norm"), x, gamma, beta, float(operator.epsilon), *made,
                 x.size // gamma.size, gamma.size, threads_for(work), work=work)  # fmt: skip


def layer_norm_grad(segment: Segment, node: CNode) -> None:
    """The gradients of layer normalization with respect to x, gamma and beta."""
    operator: P.LayerNormGrad = node.operator
    x, dy, variance, mean, gamma = map(segment.contiguous, node.arguments)
    segment.require_float32(accelerated.layer_norm_grad, x, dy, variance, mean, gamma)
    if gamma.shape != x.shape[normal_axis(operator.begin_norm_axis, len(x.shape)) :]:
        raise segment.cannot_lower()
    dx, dgamma, dbeta = made = segment.outputs_of(node, outputs_of(node))
    segment.define(node, made)
    width = gamma.size
    rows = x.size // width
    parts, work = min(PARTS, rows), _NORMALIZATION_WORK * x.size
    sums = [segment.scratch((parts, width), np.float32) for _ in range(2)]
    segment.call("layer_norm_grad", loop_address("layer_norm_grad"), x, dy, gamma, mean, variance,
                 float(operator.epsilon), dx, *sums, rows, width, parts, threads_for(work), work=work)  # fmt: skip
    for part, whole in zip(sums, (dgamma, dbeta), strict=True):
        segment.call("sum_axis", loop_address("sum_axis"), part, whole, 1, parts, width, 1.0)


def batch_norm(segment: Segment, node: CNode) -> None:
    """Batch normalization in training: the normalized x, and the moving mean and variance in place."""
    operator: P.BatchNorm = node.operator
    x, scale, bias = map(segment.contiguous, node.arguments[:3])
    segment.require_float32(accelerated.batch_norm, x, scale, bias)
    if not operator.is_training:
        raise segment.cannot_lower()
    moving = segment.overwrite_parameter(node, 3), segment.overwrite_parameter(node, 4)
    segment.require_float32(accelerated.batch_norm, *moving)
    abstracts = outputs_of(node)
    out, _, _, mean, variance = made = segment.outputs_of(node, abstracts, {1: moving[0], 2: moving[1]})
    segment.define(node, made)
    work = _NORMALIZATION_WORK * x.size
    segment.call("batch_norm", loop_address("batch_norm"), x, scale, bias, float(operator.epsilon), out, mean, variance,
                 *_sizes(x), threads_for(work), work=work)  # fmt: skip
    count = x.size // x.shape[1]
    cluster = updates.moving_cluster(operator.momentum, count)
    record(segment, cluster, (*moving, mean, variance), moving)


def batch_norm_grad(segment: Segment, node: CNode) -> None:
    """The gradients of batch normalization with respect to x, scale and bias."""
    operator: P.BatchNormGrad = node.operator
    dy, x, scale, mean, variance = map(segment.contiguous, node.arguments)
    segment.require_float32(accelerated.batch_norm_grad, dy, x, scale, mean, variance)
    made = segment.outputs_of(node, outputs_of(node))
    segment.define(node, made)
    work = _NORMALIZATION_WORK * x.size
    segment.call("batch_norm_grad", loop_address("batch_norm_grad"), x, dy, scale, mean, variance,
                 float(operator.epsilon), *made, *_sizes(x), threads_for(work), work=work)  # fmt: skip


def _sizes(x: Layout) -> tuple[int, int, int]:
    """The number of images, of channels, and of elements in one channel of an image."""
    return x.shape[0], x.shape[1], prod(x.shape[2:])


LOWERINGS: Final[dict[Any, Lowering]] = {
    P.LayerNorm: layer_norm,
    P.LayerNormGrad: layer_norm_grad,
    P.BatchNorm: batch_norm,
    P.BatchNormGrad: batch_norm_grad,
}
