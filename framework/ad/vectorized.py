"""`vmap`: a function of single examples as a function of batches.

The function is called once for each index of the mapped axes, and the results are stacked. So each operator computes
exactly what it computes for one example, whatever it is, and gradients, Jacobians and `vmap` itself compose with it in
both modes. Within a compiled function the calls are unrolled.

What is written here is in the part of Python that graph mode parses: compiled functions run the same source.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from framework.common.tensor import Tensor
from framework.ops import functional as F  # noqa: N812
from framework.ops.constexpr import constexpr

__all__ = ["VARIES", "VmapError", "shared", "vmap"]

VARIES = "vmap: out_axes is None for a result that differs between the calls; it must be an int"


class VmapError(ValueError, RuntimeError):
    """Axes do not fit a function, its arguments or its results. A RuntimeError, as in MindSpore."""


class AxisTypeError(TypeError, RuntimeError):
    """An axis is neither an int nor None. A RuntimeError, as in MindSpore."""


Axes = Any
"""An axis, None for what is not mapped, or a structure of them."""


def vmap(fn: Any, in_axes: Axes = 0, out_axes: Axes = 0) -> Any:
    """A function that computes `fn` for each index of an axis of its arguments and stacks the results.

    Args:
        fn: a Cell or a function of tensors; or a `CellList` or list of them, one for each index.
        in_axes: the mapped axis of each argument. An int for all of them, or a tuple with an item for each: an int,
            None for an argument that every call gets as it is, or a tuple of these for an argument that is a tuple.
            Negative axes count from the last. An int or None stands for all tensors of a structure.
        out_axes: where the results are stacked, in the same form, for the results; None for a result that is the
            same in every call, which is returned as it is.

    Returns:
        A function of the arguments of `fn`, by position. The mapped axes of all arguments have one length. Each tensor
        of shape s in the result of `fn` becomes one of shape (*s[:k], length, *s[k:]) for its axis k; numbers, for the
        axis 0, become a tensor of shape (length,).

    Raises:
        TypeError: an axis is neither an int nor None, or `fn` cannot be called.
        ValueError: a RuntimeError, too: no axis is mapped; later, when it is called: the axes do not fit the arguments
            or the results, or differ in length.

    Example:
        >>> f = ms.vmap(lambda x, y: (x * y).sum(), in_axes=(0, None))
        >>> print(f(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 10.0])))
        [21. 43.]
    """
    fns = tuple(fn) if not callable(fn) or hasattr(fn, "insert") else ()
    for function in fns or (fn,):
        if not callable(function):
            raise TypeError(f"vmap: fn is a function, a Cell or a list of Cells, not {fn!r}")
    before, after = as_axes(in_axes, "in_axes"), as_axes(out_axes, "out_axes")
    if not has_axis(before) and not fns:
        raise VmapError("vmap: in_axes has no axis to map: at least one must be an int")

    def vectorized(*args: Any) -> Any:
        lengths = lengths_of(args, before)
        count = common_length(lengths, len(fns))
        parts = unstacked(args, before)
        results = []
        for index in range(count):
            function = fns[index] if fns else fn
            results.append(function(*picked(args, parts, before, index)))
        return stacked(results, after)

    return vectorized


# Parts that both modes run. A structure that is not mapped is None in the structure of axes.


def lengths_of(value: Any, axes: Axes) -> list[int]:
    """The lengths of the mapped axes in a structure of tensors."""
    if axes is None:
        return []
    if isinstance(value, tuple | list):
        found: list[int] = []
        for item, axis in zip(value, spread(axes, len(value)), strict=True):
            found = found + lengths_of(item, axis)
        return found
    if not isinstance(value, Tensor):
        raise VmapError("vmap: an argument that is not a tensor has an axis; its axis must be None")
    return [length_at(value.shape, axes)]


def unstacked(value: Any, axes: Axes) -> Any:
    """A structure in which each tensor with a mapped axis is cut into a tuple along it."""
    if axes is None:
        return value
    if isinstance(value, tuple | list):
        return tuple([unstacked(item, axis) for item, axis in zip(value, spread(axes, len(value)), strict=True)])
    return F.unstack(value, axes)


def picked(value: Any, parts: Any, axes: Axes, index: int) -> Any:
    """A structure of arguments for one index; `parts` is what `unstacked` made of it."""
    if axes is None:
        return value
    if isinstance(value, tuple | list):
        spread_axes = spread(axes, len(value))
        return tuple([picked(value[i], parts[i], spread_axes[i], index) for i in range(len(value))])
    return parts[index]


def stacked(results: list[Any], axes: Axes) -> Any:
    """The results of all calls, stacked tensor by tensor."""
    first = results[0]
    if isinstance(first, tuple | list):
        spread_axes = spread(axes, len(first))
        return tuple([stacked([item[place] for item in results], spread_axes[place]) for place in range(len(first))])
    if axes is None:
        return shared(results)
    if isinstance(first, int | float) and axes in (0, -1):
        return Tensor(results)
    if not isinstance(first, Tensor):
        raise VmapError("vmap: the function must return tensors, tuples of tensors, or numbers (only with out_axes=0)")
    return F.stack(results, axes)


def shared(results: list[Any]) -> Any:
    """A result that is the same in every call. In compiled functions `framework.ad.expand_vectorized` compares them.

    Raises:
        ValueError: it is not the same.
    """
    first = results[0]
    for other in results[1:]:
        if first is other:
            continue
        if type(first) is not type(other):
            raise VmapError(VARIES)
        same = np.array_equal(first._data, other._data) if isinstance(first, Tensor) else first == other
        if not same:
            raise VmapError(VARIES)
    return first


@constexpr
def spread(axes: Axes, count: int) -> tuple[Axes, ...]:
    """Axes for each of several items; an int or None stands for all of them."""
    if not isinstance(axes, tuple):
        return (axes,) * count
    if len(axes) != count:
        raise VmapError(f"vmap: {len(axes)} axes {axes} do not match {count} values")
    return axes


@constexpr
def length_at(shape: tuple[int, ...], axis: int) -> int:
    """The length of an axis."""
    if not -len(shape) <= axis < len(shape):
        raise VmapError(f"vmap: a tensor of shape {shape} has no axis {axis}")
    return shape[axis]


@constexpr
def common_length(lengths: list[int], functions: int) -> int:
    """The length of all mapped axes."""
    found = sorted({*lengths, functions} if functions else {*lengths})
    if len(found) != 1:
        raise VmapError(f"vmap: the mapped axes must have the same length, not {tuple(found)}")
    return found[0]


def as_axes(axes: Any, name: str) -> Axes:
    """Axes with tuples for lists.

    Raises:
        TypeError: an item is neither an int nor None.
    """
    if isinstance(axes, tuple | list):
        return tuple([as_axes(item, name) for item in axes])
    if axes is None or (isinstance(axes, int) and not isinstance(axes, bool)):
        return axes
    raise AxisTypeError(f"vmap: {name} must hold ints and None, not {axes!r}")


def has_axis(axes: Axes) -> bool:
    """Whether an axis is mapped."""
    return any(map(has_axis, axes)) if isinstance(axes, tuple | list) else axes is not None
