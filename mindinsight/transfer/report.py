"""Counts what an export wrote, left out and found broken, and reports it at the end.

All parts of an export fill it. The command prints its lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from summaries.damages import Damage

_DAMAGES_TOLD = 10


def counted(number: int, noun: str) -> str:
    """Returns a number of things with the right singular or plural."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


@dataclass
class FileDamage:
    """The broken places of one file: sentences about the first ones, and their number."""

    sentences: list[str] = field(default_factory=list)
    count: int = 0


@dataclass
class Report:
    """Counts of written, omitted and broken values.

    Attributes:
        runs: number of runs with a finished file.
        points: number of written scalars.
        values: number of other written values.
        left_out: number of omitted values, by kind and reason.
        changed: number of values that lost information, by kind and loss.
        damages: broken places by file.
        failures: files that could not be read, as sentences.
    """

    runs: int = 0
    points: int = 0
    values: int = 0
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    changed: Counter[tuple[str, str]] = field(default_factory=Counter)
    damages: dict[Path, FileDamage] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def leave_out(self, what: str, why: str, count: int = 1) -> None:
        """Counts values that were not written."""
        if count:
            self.left_out[what, why] += count

    def change(self, what: str, how: str, count: int = 1) -> None:
        """Counts values that lost information. `how` begins with a verb."""
        if count:
            self.changed[what, how] += count

    def damage(self, path: Path, damages: Iterable[Damage], count: int) -> None:
        """Adds broken places of a file. `damages` may list only the first ones."""
        if not count:
            return
        known = self.damages.setdefault(path, FileDamage())
        known.count += count
        room = _DAMAGES_TOLD - len(known.sentences)
        known.sentences += [damage.message for damage, _ in zip(damages, range(room), strict=False)]

    def lines(self) -> Iterator[str]:
        """Yields the notes that a user should read besides the summary."""
        for path, damage in self.damages.items():
            yield from (f"{path}: {sentence}" for sentence in damage.sentences)
            if damage.count > len(damage.sentences):
                yield f"{path}: {counted(damage.count - len(damage.sentences), 'more broken place')}."
        yield from self.failures
        for how, whats in _by_reason(self.changed).items():
            yield f"Changed: {', '.join(whats)} {how}."
        for why, whats in _by_reason(self.left_out).items():
            yield f"Left out: {', '.join(whats)}, because {why}."

    def summary(self) -> str:
        """Returns a sentence about the result, without the full stop."""
        values = f" and {counted(self.values, 'other value')}" if self.values else ""
        parts = [f"Exported {counted(self.runs, 'run')} with {counted(self.points, 'scalar')}{values}"]
        if self.left_out:
            parts.append(f"{sum(self.left_out.values())} left out")
        if self.damages:
            broken = sum(damage.count for damage in self.damages.values())
            parts.append(f"{counted(broken, 'broken place')} skipped")
        return ", ".join(parts)


def _by_reason(counts: Counter[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for (what, reason), count in sorted(counts.items()):
        found.setdefault(reason, []).append(f"{what} ({count})")
    return found
