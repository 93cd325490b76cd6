"""Strategies: the numbers of parts that a program gives for the inputs of an operator, and all divisions there are."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

from framework.parallel.layout import Layout
from framework.parallel.layouts.cuts import primes_of
from framework.parallel.layouts.placements import Placement, axis_groups
from framework.parallel.rules.indices import Application, Axes, Division, Indices

__all__ = ["all_divisions", "division_of", "is_possible", "outputs_of"]


def all_divisions(indices: Indices, mesh: tuple[int, ...]) -> Iterator[Division]:
    """Every way to divide an operator over a mesh; the one that divides nothing comes first.

    On a mesh of many axes groups of them are divided alike (`axis_groups`).
    """
    names = [name for name in indices.lengths if name not in indices.refused and name not in indices.kept]
    groups = axis_groups(mesh)
    for cuts in itertools.product((None, *names), repeat=len(groups)):
        division = Division(mesh, tuple(cut for cut, group in zip(cuts, groups, strict=True) for _ in group))
        if is_possible(division, indices):
            yield division


def is_possible(division: Division, indices: Indices) -> bool:
    """Whether the parts of each index have whole lengths."""
    return all(length % division.parts(name) == 0 for name, length in indices.lengths.items())


def division_of(application: Application, indices: Indices, strategy: Sequence[Any], mesh: tuple[int, ...]) -> Division:
    """The division that a strategy gives.

    Args:
        application: the operator.
        indices: what it runs over.
        strategy: for each of its tensors a number for each dimension, or a `Layout`; for tensors behind those that it
            names, the numbers follow.
        mesh: the lengths of the axes of the mesh.

    Raises:
        ValueError: a strategy has another length, does not divide a dimension, cuts one that the operator works along,
            disagrees between inputs, or makes another number of parts than divides the ranks.
    """
    name, ranks = application.primitive.name, math.prod(mesh)
    tensors = list(indices.named or zip(indices.inputs, application.shapes, strict=True))
    given = list(strategy)
    if len(given) > len(tensors) and not any(given[len(tensors) :]):
        given = given[: len(tensors)]  # Scalars of MindSpore's operators have empty strategies.
    if len(given) != len(tensors):
        raise ValueError(
            f"{name}: strategy {_text(strategy)} has {len(strategy)} tuples for {len(tensors)} input tensors of shapes "
            f"{', '.join(str(shape) for _, shape in tensors)}: write one tuple for each"
        )
    if any(isinstance(item, Layout) for item in given):
        return _of_layouts(name, indices, given, tensors, mesh)
    counts: dict[str, int] = {}
    for number, ((axes, shape), numbers) in enumerate(zip(tensors, given, strict=True)):
        _check_numbers(name, number, shape, numbers, ranks)
        for place, (axis, count) in enumerate(zip(axes, numbers, strict=True)):
            _note(name, indices, counts, axis, count, f"input {number}, dimension {place}")
    parts = math.prod(counts.values())
    if ranks % parts:
        raise ValueError(
            f"{name}: strategy {_text(strategy)} makes {parts} parts, and there are {ranks} ranks, which the parts "
            f"must divide: use smaller numbers, or start {parts} ranks with mindinsight run -n {parts}"
        )
    division = _laid(counts, mesh)
    return Division(mesh, tuple(None if cut in indices.kept else cut for cut in division.cuts))


def outputs_of(
    application: Application, strategy: Sequence[Any] | None, mesh: tuple[int, ...]
) -> tuple[Placement, ...]:
    """Where the output of an operator goes by its `out_strategy`; nothing without one.

    Raises:
        ValueError: it does not fit, or the operator has several outputs.
    """
    if strategy is None:
        return ()
    if len(strategy) != 1 or len(application.outputs) != 1:
        raise ValueError(
            f"{application.primitive.name}: out_strategy {_text(strategy)} must be one tuple, and only operators of "
            "one output take it"
        )
    (shape,) = application.outputs
    axes = tuple(f"d{place}" for place in range(len(shape)))
    indices = Indices(dict(zip(axes, shape, strict=True)), (axes,), (axes,))
    as_input = Application(application.primitive, application.outputs, (), application.outputs)
    return (division_of(as_input, indices, strategy, mesh).placement(axes),)


def _check_numbers(name: str, number: int, shape: tuple[int, ...], numbers: Sequence[int], ranks: int) -> None:
    if len(numbers) != len(shape):
        raise ValueError(
            f"{name}: the strategy of input {number} is {tuple(numbers)}, {len(numbers)} numbers, and its shape is "
            f"{shape}: write {len(shape)} numbers, one for each dimension"
        )
    for dimension, (length, count) in enumerate(zip(shape, numbers, strict=True)):
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise ValueError(f"{name}: strategy {tuple(numbers)} of input {number} must hold whole numbers from 1")
        if length % count:
            raise ValueError(
                f"{name}: strategy {tuple(numbers)} cuts dimension {dimension} of input {number}, of length {length}, "
                f"into {count} parts, which does not divide it: use {_divisors(length, ranks)}"
            )


def _note(name: str, indices: Indices, counts: dict[str, int], axis: str | None, count: int, where: str) -> None:
    """Note the number of parts of an index."""
    if axis is None or count == counts.get(axis, count) == 1:
        if axis is not None:
            counts.setdefault(axis, count)
        return
    if axis in indices.refused and count > 1:
        raise ValueError(
            f"{name}: the strategy cuts {where} into {count} parts, and {indices.refused[axis]}: write 1 there"
        )
    if counts.setdefault(axis, count) != count:
        raise ValueError(
            f"{name}: the strategy cuts {where} into {count} parts, and the same dimension of another input into "
            f"{counts[axis]}: write one number for both"
        )
    if indices.lengths[axis] % count:
        raise ValueError(
            f"{name}: the strategy cuts {where} into {count} parts, of which {indices.lengths[axis]} can be made: use "
            "a divisor of it"
        )


def _laid(counts: dict[str, int], mesh: tuple[int, ...]) -> Division:
    """Parts laid on the axes of a mesh in order; what is left of the mesh repeats the work."""
    cuts: list[str | None] = [None] * len(mesh)
    for index, count in counts.items():
        for prime in primes_of(count):
            axis = next(place for place, length in enumerate(mesh) if cuts[place] is None and length == prime)
            cuts[axis] = index
    return Division(mesh, tuple(cuts))


def _of_layouts(
    name: str,
    indices: Indices,
    given: Sequence[Any],
    tensors: Sequence[tuple[Axes, tuple[int, ...]]],
    mesh: tuple[int, ...],
) -> Division:
    """The division that layouts give: dimensions of their matrix of devices are axes of the mesh."""
    cuts: list[str | None] = [None] * len(mesh)
    for number, ((axes, shape), layout) in enumerate(zip(tensors, given, strict=True)):
        if not isinstance(layout, Layout):
            raise TypeError(f"{name}: give a Layout for each input, or numbers for each; input {number} has {layout!r}")
        if len(layout.axes_of_dimensions(mesh)) != len(shape):
            raise ValueError(f"{name}: {layout} does not fit input {number}, of shape {shape}: name each dimension")
        for place, (axis, found) in enumerate(zip(axes, layout.axes_of_dimensions(mesh), strict=True)):
            count = math.prod(mesh[item] for item in found)
            if shape[place] % count or (axis is not None and indices.lengths[axis] % count):
                raise ValueError(
                    f"{name}: {layout} cuts dimension {place} of input {number}, of length {shape[place]}, into "
                    f"{count} parts, which does not divide it"
                )
            if axis is not None and axis in indices.refused and count > 1:
                raise ValueError(f"{name}: {layout} cuts dimension {place}, and {indices.refused[axis]}: write None")
            for item in found if axis not in indices.kept else ():
                if cuts[item] not in (None, axis):
                    raise ValueError(
                        f"{name}: {layout} cuts dimension {place} of input {number} by an axis that cuts another "
                        "dimension of another input: contracted dimensions must be cut alike"
                    )
                cuts[item] = axis
    return Division(mesh, tuple(cuts))


def _divisors(length: int, ranks: int) -> str:
    fitting = [str(number) for number in range(1, ranks + 1) if ranks % number == 0 and length % number == 0]
    return ", ".join(fitting[:-1]) + (" or " if len(fitting) > 1 else "") + fitting[-1]


def _text(strategy: Sequence[Any]) -> str:
    return str(tuple(item if isinstance(item, Layout) else tuple(item) for item in strategy))
