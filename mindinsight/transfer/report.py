"""What an export did, and everything that it could not do: counted while it works, reported at the end.

Filled by all parts of an export; the command prints its lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from summaries.damages import Damage

_DAMAGES_TOLD = 10


def counted(number: int, noun: str) -> str:
    """Returns a number of things as a person would write it."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


@dataclass
class FileDamage:
    """The broken places of one file: the first ones as sentences, and how many there are."""

    sentences: list[str] = field(default_factory=list)
    count: int = 0


@dataclass
class Report:
    """Counts of what was written, left out and found broken.

    Attributes:
        runs: runs whose file is in place.
        points: scalars that were written.
        values: other values that were written.
        left_out: how many of what were not written, by what and why.
        changed: how many values of what were written with less than they held, by what and how.
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
        """Notes that values were not written."""
        if count:
            self.left_out[what, why] += count

    def change(self, what: str, how: str, count: int = 1) -> None:
        """Notes that values were written, but not with all that they held; `how` begins with a verb."""
        if count:
            self.changed[what, how] += count

    def damage(self, path: Path, damages: Iterable[Damage], count: int) -> None:
        """Notes broken places of a file; `damages` may list only the first of them."""
        if not count:
            return
        known = self.damages.setdefault(path, FileDamage())
        known.count += count
        room = _DAMAGES_TOLD - len(known.sentences)
        known.sentences += [damage.message for damage, _ in zip(damages, range(room), strict=False)]

    def lines(self) -> Iterator[str]:
        """Yields what a person should know beside the summary."""
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
        """Returns what was done in one sentence without its end."""
        values = f" and {counted(self.values, 'other value')}" if self.values else ""
        parts = [f"Exported {counted(self.runs, 'run')} with {counted(self.points, 'scalar')}{values}"]
        if self.left_out:
            parts.append(f"{sum(self.left_out.values())} left out")
        if self.damages:
            broken = sum(damage.count for damage in self.damages.values())
            parts.append(f"{counted(broken, 'broken place')} passed over")
        return ", ".join(parts)


def _by_reason(counts: Counter[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for (what, reason), count in sorted(counts.items()):
        found.setdefault(reason, []).append(f"{what} ({count})")
    return found
