"""Rules for shapes that several families of operators share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["Dims", "axes_of", "broadcast", "each", "normal_axis", "pair", "rows"]

#: A shape; None is a dimension that is not known while a graph is compiled.
Dims = tuple[int | None, ...]


def broadcast(*shapes: Any) -> Dims:
    """The shape that operands broadcast to, by numpy's rule; a number counts as a tensor without dimensions.

    Raises:
        ValueError: two dimensions differ and neither is 1.

    """
    operands = [shape if isinstance(shape, tuple) else () for shape in shapes]
    rank = max((len(shape) for shape in operands), default=0)
    out: list[int | None] = [1] * rank
    for shape in operands:
        for position, size in enumerate(shape, rank - len(shape)):
            known = out[position]
            if size == 1 or size == known:
                continue
            if known == 1:
                out[position] = size
            elif known is None or size is None:
                out[position] = known if size is None else size
            else:
                raise ValueError(f"shapes {' and '.join(map(str, operands))} do not broadcast")
    return tuple(out)


def normal_axis(axis: int, rank: int) -> int:
    """An axis counted from the front.

    Raises:
        ValueError: there is no such axis.

    """
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is out of range for {rank} dimensions")
    return axis % rank


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """Axes to reduce, counted from the front and sorted: one, several, or all for `()` and None."""
    if axis is None or axis == ():
        return tuple(range(rank))
    given: Iterable[int] = (axis,) if isinstance(axis, int) else axis
    return tuple(sorted({normal_axis(item, rank) for item in given}))


def each(value: int | Sequence[int], rank: int) -> tuple[int, ...]:
    """A size along each of `rank` dimensions: one number for all, or the last ones of those given.

    Raises:
        ValueError: there are fewer numbers than dimensions.

    """
    if isinstance(value, int):
        return (value,) * rank
    if len(value) < rank:
        raise ValueError(f"{tuple(value)} must be one number or {rank}")
    return tuple(int(size) for size in value[-rank:])


def pair(value: int | Sequence[int]) -> tuple[int, int]:
    """Height and width: one number for both, the two, or the last two of four."""
    if isinstance(value, int):
        return value, value
    return int(value[-2]), int(value[-1])


def rows(shape: Dims) -> int | None:
    """The number of elements, None if a dimension is not known."""
    count = 1
    for size in shape:
        if size is None:
            return None
        count *= size
    return count
