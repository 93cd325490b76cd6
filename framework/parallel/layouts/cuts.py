"""The cut of a tensor over ranks, from MindSpore's strategies: one number for each dimension.

Ranks form a mesh whose axes have prime lengths, numbered row by row. A dimension that is cut into 8 has three *levels*
of length 2, the first for its halves, the next for the halves of these. A mesh axis cuts one level, or none: then its
ranks hold the same. `redistribution` searches among such assignments.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Cut", "Level", "coordinates_of", "cuts_of", "members_of", "primes_of"]

#: A level of a tensor: the dimension, and the number of the level from the outside.
Level = tuple[int, int]


@dataclass(frozen=True)
class Cut:
    """How a tensor is cut.

    Attributes:
        shape: the shape of the whole tensor.
        mesh: the lengths of the axes of the mesh, primes; ranks are numbered row by row.
        levels: for each dimension the lengths of its levels, from the outside.
        assigned: for each axis of the mesh the level that it cuts, None where its ranks hold the same.
    """

    shape: tuple[int, ...]
    mesh: tuple[int, ...]
    levels: tuple[tuple[int, ...], ...]
    assigned: tuple[Level | None, ...]

    @property
    def ranks(self) -> int:
        """The number of ranks."""
        return math.prod(self.mesh)

    @property
    def parts(self) -> int:
        """Into how many parts the tensor is cut."""
        return math.prod(self.mesh[axis] for axis, level in enumerate(self.assigned) if level is not None)

    def coordinates(self, rank: int) -> tuple[int, ...]:
        """The place of a rank on each axis of the mesh."""
        return coordinates_of(self.mesh, rank)

    def whole_in_levels(self) -> tuple[int, ...]:
        """The shape of the whole tensor with a dimension for each level, and one for what is left of each dimension."""
        return tuple(
            length
            for size, levels in zip(self.shape, self.levels, strict=True)
            for length in (*levels, size // math.prod(levels))
        )

    def place_of(self, level: Level) -> int:
        """The dimension of a level in `whole_in_levels`."""
        return sum(len(self.levels[dimension]) + 1 for dimension in range(level[0])) + level[1]

    def part_in_levels(self) -> tuple[int, ...]:
        """The shape of a rank's part with a dimension for each level, of length 1 where it is cut."""
        lengths = list(self.whole_in_levels())
        for level in self.assigned:
            if level is not None:
                lengths[self.place_of(level)] = 1
        return tuple(lengths)

    def index_of(self, rank: int) -> tuple[slice, ...]:
        """The part of a rank, as an index of the whole tensor in levels."""
        index = [slice(None)] * len(self.whole_in_levels())
        for level, place in zip(self.assigned, self.coordinates(rank), strict=True):
            if level is not None:
                index[self.place_of(level)] = slice(place, place + 1)
        return tuple(index)


def coordinates_of(mesh: Sequence[int], rank: int) -> tuple[int, ...]:
    """The place of a rank on each axis of a mesh whose ranks are numbered row by row."""
    found = []
    for length in reversed(mesh):
        rank, place = divmod(rank, length)
        found.append(place)
    return tuple(reversed(found))


def members_of(mesh: Sequence[int], axes: Sequence[int], rank: int) -> list[int]:
    """The ranks that differ from a rank along some axes of a mesh alone, and the rank itself, in their order."""
    mine = coordinates_of(mesh, rank)
    others = [axis for axis in range(len(mesh)) if axis not in axes]
    found = []
    for candidate in range(math.prod(mesh)):
        theirs = coordinates_of(mesh, candidate)
        if all(theirs[axis] == mine[axis] for axis in others):
            found.append(candidate)
    return found


def cuts_of(shape: Sequence[int], strategies: Sequence[Sequence[int]], ranks: int) -> tuple[Cut, ...]:
    """The cuts of one tensor by several strategies, over one mesh.

    A strategy cuts dimension by dimension along the axes of a mesh; if its numbers multiply to less than the number of
    ranks, neighbouring ranks hold the same: the innermost axes cut nothing (MindSpore's device matrix, as its
    collectives show).

    Args:
        shape: the shape of the tensor.
        strategies: each a number for every dimension: into how many parts it is cut.
        ranks: the number of ranks.

    Returns:
        A cut for each strategy.

    Raises:
        ValueError: a strategy has another length, does not divide a dimension or the ranks, or two of them cut a
            dimension in ways that cannot be refined to one.
    """
    mesh = tuple(primes_of(ranks))
    for strategy in strategies:
        _check(tuple(shape), tuple(strategy), ranks)
    levels = []
    for dimension in range(len(shape)):
        factors = sorted((primes_of(strategy[dimension]) for strategy in strategies), key=len)
        longest = factors[-1]
        if any(item != longest[: len(item)] for item in factors):
            raise ValueError(
                f"dimension {dimension} is cut into {' and '.join(str(item[dimension]) for item in strategies)}: of "
                "two numbers one must be the other times primes that are no smaller; use powers of two"
            )
        levels.append(tuple(longest))
    return tuple(Cut(tuple(shape), mesh, tuple(levels), _assigned(strategy, mesh)) for strategy in strategies)


def _assigned(strategy: Sequence[int], mesh: tuple[int, ...]) -> tuple[Level | None, ...]:
    """The level that each axis of the mesh cuts: those of the strategy in order; the rest of the mesh cuts nothing."""
    wanted = [
        (length, (dimension, number))
        for dimension, count in enumerate(strategy)
        for number, length in enumerate(primes_of(count))
    ]
    if list(mesh[: len(wanted)]) != [length for length, _ in wanted]:
        raise ValueError(f"strategy {tuple(strategy)} cannot be laid on a mesh of {mesh}: use powers of two")
    return (*[level for _, level in wanted], *[None] * (len(mesh) - len(wanted)))


def _check(shape: tuple[int, ...], strategy: tuple[int, ...], ranks: int) -> None:
    if len(strategy) != len(shape):
        raise ValueError(f"strategy {strategy} has {len(strategy)} numbers for a tensor of {len(shape)} dimensions")
    for dimension, (length, count) in enumerate(zip(shape, strategy, strict=True)):
        if count < 1 or length % count:
            raise ValueError(f"strategy {strategy} cuts dimension {dimension}, of length {length}, into {count}")
    if ranks % math.prod(strategy):
        raise ValueError(f"strategy {strategy} makes {math.prod(strategy)} parts, which must divide {ranks} ranks")


def primes_of(number: int) -> list[int]:
    """The prime factors of a number, the smallest first."""
    found, factor = [], 2
    while number > 1:
        while number % factor == 0:
            found.append(factor)
            number //= factor
        factor += 1
    return found
