"""Derivatives of higher orders along a curve: `jet` and `derivative`, by nested gradients.

The results along the curve x(t) are multiplied with weights and added: one number. Its derivatives by t are gradients
of gradients, linear in the weights, so the gradient of such a derivative by the weights is that of the results.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from framework.ad.gradients import grad
from framework.ad.jacobians import as_tuple
from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ops.array.casting import cast
from framework.ops.array.joining import stack
from framework.ops.constexpr import constexpr
from framework.ops.creation.filled_like import ones_like, zeros_like

__all__ = ["derivative", "jet"]

Tensors = tuple[Tensor, ...]


def jet(
    fn: Callable[..., Any],
    primals: Tensor | Tensors | list[Tensor],
    series: Tensor | Tensors | list[Tensor],
) -> tuple[Any, Any]:
    """The result of `fn`, and its derivatives of the orders 1 to n along a curve that is given by its own.

    The curve is x(t) = x + x' t + x'' t^2 / 2 + ..., and the derivatives are those of fn(x(t)) at t = 0. They are exact
    for every function that has gradients of the order n. The time grows exponentially with n.

    Args:
        fn: a Cell or a function of tensors.
        primals: x: the arguments of `fn`; integers become Float32.
        series: for each argument a tensor (n, ...) of the derivatives x', x'' and so on.

    Returns:
        The result, and a tensor (n, ...) of its derivatives; for several results lists of both.

    Raises:
        ValueError: the arguments and the derivatives do not fit.

    Example:
        >>> out, derivatives = ops.jet(lambda x: x * x * x, Tensor(2.0), Tensor([1.0, 0.0, 0.0]))
        >>> print(out, derivatives)
        8.0 [12. 12.  6.]

    """
    given = tuple([_as_float(item) for item in as_tuple(primals)])
    ways = as_tuple(series)
    order = _order(tuple([item.shape for item in given]), tuple([tuple(item.shape) for item in ways]))
    out, found = _along(fn, given, tuple([cast(way, item.dtype) for way, item in zip(ways, given, strict=True)]), order)
    if not isinstance(out, tuple | list):
        return out, stack(found, 0)
    return list(out), [stack([one[i] for one in found], 0) for i in range(len(out))]


def derivative(fn: Callable[..., Any], primals: Tensor | Tensors, order: int) -> tuple[Any, Any]:
    """The result of `fn`, and its derivative of an order in the direction in which all arguments grow alike.

    For a function of one number, or of one number per element, it is the derivative of that order.

    Args:
        fn: a Cell or a function of tensors.
        primals: the arguments of `fn`; integers become Float32.
        order: the order, at least 1. The time grows exponentially with it.

    Returns:
        The result and the derivative; for several results lists of both.

    Raises:
        ValueError: the order is below 1.

    Example:
        >>> out, second = ops.derivative(lambda x: x * x * x, Tensor(2.0), 2)
        >>> print(out, second)
        8.0 12.0

    """
    _check_order(order)
    given = tuple([_as_float(item) for item in as_tuple(primals)])
    ways = tuple([_straight(item, order) for item in given])
    out, found = _along(fn, given, ways, order, True)
    if not isinstance(out, tuple | list):
        return out, found[0]
    return list(out), list(found[0])


@constexpr
def _check_order(order: int) -> None:
    if isinstance(order, bool) or not isinstance(order, int) or order < 1:
        raise ValueError(f"derivative: the order must be an int of at least 1, not {order!r}")


@constexpr
def _order(shapes: tuple[tuple[int, ...], ...], series: tuple[tuple[int, ...], ...]) -> int:
    """The order of the last derivatives that are given."""
    fitting = len(shapes) == len(series) and all(
        len(way) == len(shape) + 1 and way[1:] == tuple(shape) for way, shape in zip(series, shapes, strict=True)
    )
    if not fitting or len({way[0] for way in series}) != 1 or series[0][0] < 1:
        raise ValueError(
            f"jet: each series must have its argument's shape after a leading dimension, which is the same for all: "
            f"for arguments of shapes {shapes}, not {series}"
        )
    return series[0][0]


def _as_float(x: Tensor) -> Tensor:
    return x if x.dtype in mstype.float_type else cast(x, mstype.float32)


def _straight(x: Tensor, order: int) -> Tensor:
    return stack([ones_like(x) if i == 0 else zeros_like(x) for i in range(order)], 0)


@constexpr
def _factorial(n: int) -> float:
    return float(math.factorial(n))


def _along(
    fn: Callable[..., Any], given: Tensors, ways: Tensors, order: int, last: bool = False
) -> tuple[Any, tuple[Any, ...]]:
    """The result of fn, and its derivatives by the position t on the curve, all or only the last."""
    start = zeros_like(given[0]).reshape(-1)[:1].reshape(())
    out = fn(*given)
    several = isinstance(out, tuple | list)
    weights = tuple([ones_like(item) for item in out]) if several else (ones_like(out),)

    def weighted(t: Tensor, *weights: Tensor) -> Any:
        places = []
        for item, way in zip(given, ways, strict=True):
            place = item
            power = t
            for k in range(order):
                place = place + way[k] * (power / _factorial(k + 1))
                power = power * t
            places.append(cast(place, item.dtype))
        return _product(fn(*places), weights)

    found: tuple[Any, ...] = ()
    curve: Callable[..., Any] = weighted
    for k in range(order):
        curve = grad(curve, 0)
        if not last or k == order - 1:
            slopes = as_tuple(grad(curve, _behind_first(len(weights)))(start, *weights))
            found = (*found, slopes if several else slopes[0])
    return out, found


@constexpr
def _behind_first(count: int) -> tuple[int, ...]:
    """The positions of the weights."""
    return tuple(range(1, count + 1))


def _product(out: Any, weights: Tensors) -> Any:
    """The sum of all elements of the results, each times its weight."""
    several = out if isinstance(out, tuple | list) else (out,)
    total = (several[0] * weights[0]).sum()
    for i in range(1, len(weights)):
        total = total + (several[i] * weights[i]).sum()
    return total
