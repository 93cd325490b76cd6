"""Rules of operators that normalize, and of losses over classes."""

from __future__ import annotations

import math

from framework.ops.activation.normalized_exponentials import LogSoftmax, Softmax
from framework.ops.losses.labelled import SoftmaxCrossEntropyWithLogits, SparseSoftmaxCrossEntropyWithLogits
from framework.ops.normalization.batch import BatchNorm
from framework.ops.normalization.layer import LayerNorm
from framework.ops.primitive import Primitive
from framework.ops.shapes import axes_of, normal_axis
from framework.parallel.rules.indices import Application, Axes, Indices, Rule

__all__ = ["RULES"]


def _softmax(application: Application) -> Indices | None:
    shape = application.shapes[0]
    axes = _named(shape)
    refused = {
        axes[place]: "it normalizes along this dimension" for place in axes_of(application.primitive.axis, len(shape))
    }
    return Indices(dict(zip(axes, shape, strict=True)), (axes,), (axes,), refused=refused, work=5.0 * math.prod(shape))


def _layer_norm(application: Application) -> Indices | None:
    shape, of_parameters = application.shapes[:2]
    axes = _named(shape)
    begin = normal_axis(application.primitive.begin_norm_axis, len(shape))
    refused = dict.fromkeys(axes[begin:], "it normalizes along this dimension")
    parameters = axes[len(shape) - len(of_parameters) :]
    statistics: Axes = (*axes[:begin], *(None,) * (len(shape) - begin))
    return Indices(
        dict(zip(axes, shape, strict=True)),
        (axes, parameters, parameters),
        (axes, statistics, statistics),
        refused=refused,
        work=8.0 * math.prod(shape),
    )


def _batch_norm(application: Application) -> Indices | None:
    """x[n, c, h, w] with vectors[c]; in training the batch is kept whole, since its statistics are of all of it."""
    shape = application.shapes[0]
    axes = ("n", "c", *(f"s{place}" for place in range(len(shape) - 2)))
    training = bool(application.primitive.is_training)
    kept = frozenset(name for name in axes if name != "c") if training else frozenset()
    vector = ("c",)
    return Indices(
        dict(zip(axes, shape, strict=True)),
        (axes, *(vector,) * 4),
        (axes, *(vector,) * 4),
        kept=kept,
        work=8.0 * math.prod(shape),
    )


def _cross_entropy(application: Application) -> Indices | None:
    """logits[n, c] labels[n, c] -> loss[n], gradient[n, c]."""
    shape = application.shapes[0]
    refused = {"c": "the loss is taken over the classes"}
    axes = ("n", "c")
    return Indices(
        dict(zip(axes, shape, strict=True)), (axes, axes), (("n",), axes), refused=refused, work=8.0 * math.prod(shape)
    )


def _sparse_cross_entropy(application: Application) -> Indices | None:
    """logits[n, c] labels[n] -> the mean over n."""
    if application.primitive.is_grad:
        return None
    shape = application.shapes[0]
    refused = {"c": "the loss is taken over the classes"}
    return Indices(
        dict(zip(("n", "c"), shape, strict=True)),
        (("n", "c"), ("n",)),
        ((),),
        frozenset("n"),
        mean=True,
        refused=refused,
        work=8.0 * math.prod(shape),
    )


def _named(shape: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(f"d{place}" for place in range(len(shape)))


RULES: dict[type[Primitive], Rule] = {
    BatchNorm: _batch_norm,
    LayerNorm: _layer_norm,
    LogSoftmax: _softmax,
    Softmax: _softmax,
    SoftmaxCrossEntropyWithLogits: _cross_entropy,
    SparseSoftmaxCrossEntropyWithLogits: _sparse_cross_entropy,
}
