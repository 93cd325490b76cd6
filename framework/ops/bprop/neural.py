"""Backward functions of layers, softmax and losses."""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from framework.ops.bprop.shapes import all_but
from framework.ops.constexpr import constexpr
from framework.ops.gradients import Bprop, bprop_getters, gradient
from framework.ops.operations.shapes import normal_axis
from framework.ops.primitive import cached

shape_of = P.Shape()
rank_of = P.Rank()
dtype_of = P.DTypeOf()
cast = P.Cast()
exp = P.Exp()
sqrt = P.Sqrt()
sign = P.Sign()
absolute = P.Abs()
less = P.Less()
select = P.Select()
sigmoid = P.Sigmoid()
log_softmax = P.LogSoftmax(-1)
reshape = P.Reshape()
sum_like = P.SumLike()
zeros_like = P.ZerosLike()
one_hot = P.OneHot(-1)
reduce_sum = P.ReduceSum()
sum_kept = P.ReduceSum(True)
mean_kept = P.ReduceMean(True)
expand_dims = P.ExpandDims()
sparse_loss_grad = P.SparseSoftmaxCrossEntropyWithLogitsGrad()


def _pooling(self: P.MaxPool | P.AvgPool) -> tuple[Any, ...]:
    """A pooling's attributes in the order of its `__init__`."""
    return (
        self.kernel_size,
        self.strides,
        self.pad_mode,
        self.data_format,
        None,
        self.pad,
        self.ceil_mode,
    )


@bprop_getters.register(P.MaxPool)
def get_bprop_max_pool(self: P.MaxPool) -> Bprop:
    """To the first of the largest elements of each window."""
    grad = cached(P.MaxPoolGrad, *_pooling(self))

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (grad(x, out, dout),)

    return bprop


@bprop_getters.register(P.MaxPoolGrad)
def get_bprop_max_pool_grad(self: P.MaxPoolGrad) -> Bprop:
    """Linear in the gradient; which element is the largest stays the same between jumps."""
    grad_grad = cached(P.MaxPoolGradGrad, *_pooling(self))

    def bprop(x: Tensor, y: Tensor, gradient: Tensor, out: Tensor, dout: Tensor) -> Any:
        return zeros_like(x), zeros_like(y), grad_grad(x, y, dout)

    return bprop


@bprop_getters.register(P.MaxPoolGradGrad)
def get_bprop_max_pool_grad_grad(self: P.MaxPoolGradGrad) -> Bprop:
    """Linear in the gradient, and the transpose of `MaxPoolGrad`."""
    grad = cached(P.MaxPoolGrad, *_pooling(self))

    def bprop(x: Tensor, y: Tensor, values: Tensor, out: Tensor, dout: Tensor) -> Any:
        return zeros_like(x), zeros_like(y), grad(x, y, dout)

    return bprop


@bprop_getters.register(P.AvgPool)
def get_bprop_avg_pool(self: P.AvgPool) -> Bprop:
    """An equal share to all elements of a window."""
    grad = cached(P.AvgPoolGrad, *_pooling(self), self.count_include_pad, self.divisor_override)

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (grad(dout, shape_of(x)),)

    return bprop


@bprop_getters.register(P.AvgPoolGrad)
def get_bprop_avg_pool_grad(self: P.AvgPoolGrad) -> Bprop:
    """Linear, and the transpose of `AvgPool`."""
    pool = cached(P.AvgPool, *_pooling(self), self.count_include_pad, self.divisor_override)

    def bprop(gradient: Tensor, shape: Any, out: Tensor, dout: Tensor) -> Any:
        return pool(dout), None

    return bprop


@constexpr
def _channel_shape(rank: int) -> tuple[int, ...]:
    """The shape in which a vector broadcasts along the channels."""
    return (1, -1, *(1,) * (rank - 2))


@bprop_getters.register(P.BatchNorm)
def get_bprop_batch_norm(self: P.BatchNorm) -> Bprop:
    """In training `BatchNormGrad`; else, with n the normalized x and r = 1 / sqrt(variance + epsilon):

    d x = scale r dout, d scale = sum(dout n), d bias = sum(dout). The moving values get no gradient.
    """
    is_training = self.is_training
    epsilon = self.epsilon
    grad = cached(P.BatchNormGrad, True, epsilon, self.data_format)

    def bprop(
        x: Tensor, scale: Tensor, bias: Tensor, mean: Tensor, variance: Tensor, out: Any, dout: tuple[Tensor, ...]
    ) -> Any:
        gradient = dout[0]
        if is_training:
            dx, dscale, dbias = grad(gradient, x, scale, out[3], out[4])
        else:
            axes = all_but(1, rank_of(x))
            channels = _channel_shape(rank_of(x))
            r = 1 / sqrt(reshape(variance, channels) + epsilon)
            dx = reshape(scale, channels) * r * gradient
            dscale = reduce_sum(gradient * ((x - reshape(mean, channels)) * r), axes)
            dbias = reduce_sum(gradient, axes)
        return sum_like(dx, x), sum_like(dscale, scale), sum_like(dbias, bias), zeros_like(mean), zeros_like(variance)

    return bprop


def _across(g: Tensor, n: Tensor, axes: Any) -> Any:
    """What of g changes neither the mean nor the variance of the normalized n."""
    return g - mean_kept(g, axes) - n * mean_kept(g * n, axes)


def _normalization_grads(x: Tensor, dy: Tensor, n: Tensor, r: Tensor, gamma: Tensor, dout: Any, axes: Any) -> Any:
    """The gradients with respect to x, dy and dy gamma of what `LayerNormGrad` and `BatchNormGrad` compute.

    With g = dy gamma, N the elements that are normalized together and A(g) = g - mean(g) - n mean(g n), those are
    dx = r A(g), dgamma = sum(dy n) and dbeta = sum(dy). Let u, v and w be the gradients with respect to them. A is
    symmetric, so that of g is r A(u); that of n is v dy - r (g mean(u n) + u mean(g n)); that of r is sum(u A(g)).
    And n = r (x - mean(x)) leads to x by r A, r by dr/dx = -r r n / N.
    """
    u, v, w = dout
    g = dy * gamma
    dg = r * _across(u, n, axes)
    dn = v * dy - r * (g * mean_kept(u * n, axes) + u * mean_kept(g * n, axes))
    dx = r * _across(dn, n, axes) - r * r * n * mean_kept(u * _across(g, n, axes), axes)
    return sum_like(dx, x), sum_like(dg * gamma + v * n + w, dy), dg


@bprop_getters.register(P.BatchNormGrad)
def get_bprop_batch_norm_grad(self: P.BatchNormGrad) -> Bprop:
    """See `_normalization_grads`; mean and variance are x's."""
    epsilon = self.epsilon

    def bprop(
        dy: Tensor, x: Tensor, scale: Tensor, mean: Tensor, variance: Tensor, out: Any, dout: tuple[Tensor, ...]
    ) -> Any:
        axes = all_but(1, rank_of(x))
        channels = _channel_shape(rank_of(x))
        r = 1 / sqrt(reshape(variance, channels) + epsilon)
        n = (x - reshape(mean, channels)) * r
        given = (dout[0], reshape(dout[1], channels), reshape(dout[2], channels))
        dx, ddy, dg = _normalization_grads(x, dy, n, r, reshape(scale, channels), given, axes)
        dscale = sum_like(reduce_sum(dg * dy, axes), scale)
        return ddy, dx, dscale, zeros_like(mean), zeros_like(variance)

    return bprop


@constexpr
def _from(axis: int, rank: int) -> tuple[int, ...]:
    """The dimensions from one on."""
    return tuple(range(normal_axis(axis, rank), rank))


@bprop_getters.register(P.LayerNorm)
def get_bprop_layer_norm(self: P.LayerNorm) -> Bprop:
    """`LayerNormGrad`. Mean and variance that come out beside get no gradient."""
    grad = cached(P.LayerNormGrad, self.begin_norm_axis, self.begin_params_axis, self.epsilon)

    def bprop(x: Tensor, gamma: Tensor, beta: Tensor, out: Any, dout: tuple[Tensor, ...]) -> Any:
        dx, dgamma, dbeta = grad(x, dout[0], out[2], out[1], gamma)
        return sum_like(dx, x), sum_like(dgamma, gamma), sum_like(dbeta, beta)

    return bprop


@bprop_getters.register(P.LayerNormGrad)
def get_bprop_layer_norm_grad(self: P.LayerNormGrad) -> Bprop:
    """See `_normalization_grads`; variance and mean are x's."""
    begin = self.begin_norm_axis
    epsilon = self.epsilon

    def bprop(
        x: Tensor, dy: Tensor, variance: Tensor, mean: Tensor, gamma: Tensor, out: Any, dout: tuple[Tensor, ...]
    ) -> Any:
        r = 1 / sqrt(variance + epsilon)
        dx, ddy, dg = _normalization_grads(x, dy, (x - mean) * r, r, gamma, dout, _from(begin, rank_of(x)))
        return dx, ddy, zeros_like(variance), zeros_like(mean), sum_like(dg * dy, gamma)

    return bprop


@bprop_getters.register(P.Dropout)
def get_bprop_dropout(self: P.Dropout) -> Bprop:
    """Through the elements that were kept."""
    keep_prob = self.keep_prob

    def bprop(x: Tensor, out: tuple[Tensor, Tensor], dout: tuple[Tensor, Tensor]) -> Any:
        return (dout[0] * out[1] / keep_prob,)

    return bprop


@gradient(P.StopGradient)
def stop_gradient_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """Nothing flows through."""
    return zeros_like(x)


@gradient(P.Depend)
def depend_gradient(value: Tensor, expr: Any, out: Tensor, dout: Tensor) -> Any:
    """Through the value."""
    return dout, None


@gradient(P.SoftmaxCrossEntropyWithLogits)
def softmax_cross_entropy_gradient(logits: Tensor, labels: Tensor, out: Any, dout: tuple[Tensor, Tensor]) -> Any:
    """(softmax(logits) sum(labels) - labels) dout; the labels get -log_softmax(logits) dout."""
    per_row = expand_dims(dout[0], -1)
    logarithm = log_softmax(logits)
    dlogits = (exp(logarithm) * sum_kept(labels, -1) - labels) * per_row
    return dlogits, -logarithm * per_row


@bprop_getters.register(P.SparseSoftmaxCrossEntropyWithLogits)
def get_bprop_sparse_softmax_cross_entropy(self: P.SparseSoftmaxCrossEntropyWithLogits) -> Bprop:
    """(softmax(logits) - one_hot(labels)) / rows."""
    if self.is_grad:
        raise NotImplementedError(
            "SparseSoftmaxCrossEntropyWithLogits(is_grad=True) is a gradient itself: differentiate the loss instead"
        )

    def bprop(logits: Tensor, labels: Tensor, out: Tensor, dout: Tensor) -> Any:
        return sparse_loss_grad(logits, labels, dout), None

    return bprop


@gradient(P.SparseSoftmaxCrossEntropyWithLogitsGrad)
def sparse_softmax_cross_entropy_grad_gradient(
    logits: Tensor, labels: Tensor, gradient: Tensor, out: Tensor, dout: Tensor
) -> Any:
    """Of (s - one_hot) g / rows: in the logits s (dout - sum(s dout)) g / rows, in g the product with dout."""
    rows, classes = shape_of(logits)
    s = exp(log_softmax(logits))
    share = dout * (gradient / rows)
    dlogits = s * (share - sum_kept(s * share, -1))
    difference = s - one_hot(labels, classes, cast(1.0, dtype_of(logits)), cast(0.0, dtype_of(logits)))
    return dlogits, None, reduce_sum(difference * dout, ()) / rows


@gradient(P.SigmoidCrossEntropyWithLogits)
def sigmoid_cross_entropy_gradient(logits: Tensor, label: Tensor, out: Tensor, dout: Tensor) -> Any:
    """sigmoid(x) - label; the label gets -x."""
    return sum_like(dout * (sigmoid(logits) - label), logits), sum_like(-(dout * logits), label)


@bprop_getters.register(P.SmoothL1Loss)
def get_bprop_smooth_l1(self: P.SmoothL1Loss) -> Bprop:
    """d / beta below beta, the sign of d above."""
    beta = self.beta
    mean = self.reduction == "mean"

    def bprop(prediction: Tensor, target: Tensor, out: Tensor, dout: Tensor) -> Any:
        difference = prediction - target
        slope = select(less(absolute(difference), beta), difference / beta, sign(difference))
        dx = slope * dout
        if mean:
            dx = dx / P.Size()(prediction)
        return dx, -dx

    return bprop


@gradient(P.L2Loss)
def l2_loss_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Any:
    """x."""
    return x * dout
