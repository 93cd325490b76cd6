"""What a dump lacks, or what of it cannot be read. All readers of dumps add to one `Damages`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

__all__ = ["Damage", "Damages"]

_SHOWN: Final = 20
"""Most places that are listed one by one for a kind of damage."""


class Damage(NamedTuple):
    """One damage.

    Attributes:
        what: What is missing or cannot be read.
        where: The path below the dump, or a node.
    """

    what: str
    where: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


class Damages:
    """The damages of a dump. A kind with very many places is shortened to the first 20 and a count."""

    def __init__(self) -> None:
        self._places: dict[str, dict[str, None]] = {}

    def add(self, what: str, where: str) -> None:
        """Note a damage; the same one is kept once."""
        self._places.setdefault(what, {})[where] = None

    def __iter__(self) -> Iterator[Damage]:
        for what, places in self._places.items():
            for where in islice(places, _SHOWN):
                yield Damage(what, where)
            if len(places) > _SHOWN:
                yield Damage(what, f"{len(places) - _SHOWN} further places")

    def __len__(self) -> int:
        return sum(map(len, self._places.values()))
