"""Regression losses: squared, absolute, Huber and smooth L1. Also the checks that other losses share."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.common.tensor import Tensor
from framework.ops.arithmetic.binary import Minimum
from framework.ops.array.properties import Size
from framework.ops.arrays import Array, ArrayModule
from framework.ops.comparison import less
from framework.ops.gradients import Bprop, bprop_getters, gradient
from framework.ops.indexing.selecting import select
from framework.ops.mathematics.exponential import square
from framework.ops.mathematics.rounding import abs, absolute, sign
from framework.ops.primitive import PrimitiveWithInfer, cached, prim_attr_register
from framework.ops.reduction.totals import ReduceMean, ReduceSum
from framework.ops.shapes import Dims

__all__ = [
    "L2Loss",
    "SmoothL1Loss",
    "SquareSumAll",
    "huber_loss",
    "l1_loss",
    "mse_loss",
    "reduced",
    "smooth_l1_loss",
]


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Squared error: (input - target) ** 2.

    Args:
        input: tensor of numbers.
        target: tensor of numbers; both shapes broadcast.
        reduction: "mean", "sum" or "none".

    Returns:
        A scalar tensor, or with "none" the losses of the broadcast shape.

    Example:
        >>> print(ops.mse_loss(Tensor([1.0, 2.0]), Tensor([3.0, 2.0])))
        2.0

    """
    return reduced(square(input - target), reduction)


def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Absolute error: |input - target|.

    Args:
        input: tensor of numbers.
        target: tensor of numbers; both shapes broadcast.
        reduction: "mean", "sum" or "none".

    Returns:
        A scalar tensor, or with "none" the losses of the broadcast shape.

    Example:
        >>> print(ops.l1_loss(Tensor([1.0, 2.0]), Tensor([3.0, 2.0])))
        1.0

    """
    return reduced(abs(input - target), reduction)


def reduced(loss: Tensor, reduction: str) -> Tensor:
    """The mean or the sum of losses, or the losses themselves.

    Args:
        loss: losses of any shape.
        reduction: "mean", "sum" or "none".

    Returns:
        A scalar tensor, or with "none" the losses.

    Example:
        >>> print(ops.reduced(Tensor([1.0, 3.0]), "mean"), ops.reduced(Tensor([1.0, 3.0]), "none"))
        2.0 [1. 3.]

    """
    if reduction == "mean":
        return cached(ReduceMean, False)(loss, ())
    if reduction == "sum":
        return cached(ReduceSum, False)(loss, ())
    return loss


def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0) -> Tensor:
    """Huber loss (Huber 1964). With d = |input - target|: d * d / 2 up to delta, delta * (d - delta / 2) above.

    Args:
        input: tensor of numbers.
        target: tensor of numbers; both shapes broadcast.
        reduction: "mean", "sum" or "none".
        delta: error at which the loss changes from a parabola to a line.

    Returns:
        A scalar tensor, or with "none" the losses of the broadcast shape.

    Example:
        >>> print(ops.huber_loss(Tensor([0.0, 0.0]), Tensor([1.0, 3.0]), "none"))
        [0.5 2.5]

    """
    error = abs(input - target)
    bounded = Minimum()(error, delta)
    return reduced(bounded * (error - bounded * 0.5), reduction)


class SmoothL1Loss(PrimitiveWithInfer):
    """Smooth L1 loss (Girshick 2015) of the error d = |prediction - target|.

    The loss is d * d / (2 * beta) below beta and d - beta / 2 above.

    Inputs: prediction and target, floating-point tensors of one shape and type.

    Output: a scalar tensor of that type, or with "none" a tensor of that shape.

    Args:
        beta: error at which the loss changes from a parabola to a line.
        reduction: "none", "mean" or "sum".

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
            raise ValueError(f"SmoothL1Loss: reduction must be 'none', 'mean' or 'sum', not {reduction!r}")

    def infer_shape(self, prediction: Dims, target: Dims) -> Dims:
        if prediction != target:
            raise ValueError(f"SmoothL1Loss: prediction {prediction} and target {target} must have the same shape")
        return prediction if self.reduction == "none" else ()

    def infer_dtype(self, prediction: DType, target: DType) -> DType:
        return mstype.promote(prediction, target)

    def compute(self, xp: ArrayModule, prediction: Array, target: Array) -> Array:
        self.infer_shape(prediction.shape, target.shape)
        distance = xp.absolute(prediction - target)
        beta = distance.dtype.type(self.beta)
        loss = xp.where(distance < beta, xp.square(distance) / (2 * beta), distance - beta / 2)
        return loss if self.reduction == "none" else getattr(loss, self.reduction)()


@bprop_getters.register(SmoothL1Loss)
def get_bprop_smooth_l1(self: SmoothL1Loss) -> Bprop:
    """d / beta below beta, the sign of d above."""
    beta = self.beta
    mean = self.reduction == "mean"

    def bprop(prediction: Tensor, target: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        difference = prediction - target
        slope = select(less(absolute(difference), beta), difference / beta, sign(difference))
        dx = slope * dout
        if mean:
            dx = dx / Size()(prediction)
        return dx, -dx

    return bprop


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

    def compute(self, xp: ArrayModule, x: Array) -> Array:
        return xp.square(x).sum() / x.dtype.type(2)


@gradient(L2Loss)
def l2_loss_gradient(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    """x."""
    return x * dout


class SquareSumAll(PrimitiveWithInfer):
    """The sums of the squares of two tensors: sum(x * x) and sum(y * y).

    Inputs: x and y, floating-point tensors of one shape and type. Output: two scalar tensors of their type.

    Example:
        >>> x, y = ops.SquareSumAll()(Tensor([1.0, 2.0]), Tensor([3.0, 0.0]))
        >>> print(x, y)
        5.0 9.0
    """

    takes = MappingProxyType(dict.fromkeys(range(2), mstype.float_type))
    fresh = True

    @prim_attr_register
    def __init__(self) -> None:
        self.init_prim_io_names(inputs=["x", "y"], outputs=["output_x", "output_y"])

    def infer_shape(self, x: Dims, y: Dims) -> tuple[Dims, Dims]:
        if None not in (*x, *y) and tuple(x) != tuple(y):
            raise ValueError(f"SquareSumAll: x and y must have one shape, not {tuple(x)} and {tuple(y)}")
        return (), ()

    def infer_dtype(self, x: DType, y: DType) -> tuple[DType, DType]:
        return x, y

    def compute(self, xp: ArrayModule, x: Array, y: Array) -> tuple[Array, ...]:
        return xp.square(x).sum(), xp.square(y).sum()


@gradient(SquareSumAll)
def square_sum_all_gradient(x: Tensor, y: Tensor, out: Any, dout: Any) -> tuple[Tensor, Tensor]:
    """2 x and 2 y."""
    return x * (2 * dout[0]), y * (2 * dout[1])


def agree(first: Dims, second: Dims) -> bool:
    """Whether two shapes are equal, or can be equal once unknown lengths are known."""
    return len(first) == len(second) and all(
        a == b or a is None or b is None for a, b in zip(first, second, strict=True)
    )


def check_rows(name: str, logits: Dims, labels: Dims) -> None:
    """Raise ValueError unless the logits are a matrix with one label per row; fewer labels would silently broadcast."""
    if len(logits) != 2 or not agree(logits[:1], labels):
        raise ValueError(
            f"{name}: logits {logits} must be a matrix, and labels {labels} a vector with one class for each row"
        )


def check_labels(labels: Array, classes: int) -> None:
    """Raise ValueError unless all labels are classes; a negative label would count from the end."""
    if labels.size and not 0 <= labels.min() <= labels.max() < classes:
        raise ValueError(f"labels must lie from 0 to {classes - 1}, not from {labels.min()} to {labels.max()}")


def smooth_l1_loss(input: Tensor, target: Tensor, beta: float = 1.0, reduction: str = "none") -> Tensor:
    """Smooth L1 loss (Girshick 2015). With d = |input - target|: d * d / (2 * beta) below beta, d - beta / 2 above.

    Args:
        input: floating-point tensor.
        target: tensor of the same shape.
        beta: error at which the loss changes from a parabola to a line.
        reduction: "none", "mean" or "sum".

    Returns:
        A scalar tensor, or with "none" the losses of the shape of `input`.

    Example:
        >>> print(ops.smooth_l1_loss(Tensor([0.0, 0.0]), Tensor([1.0, 3.0])))
        [0.5 2.5]

    """
    return cached(SmoothL1Loss, beta, reduction)(input, target)
