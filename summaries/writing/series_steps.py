"""The tags that a `SummaryWriter` has checked, and the next step of values that are recorded without one."""

from collections.abc import Iterable
from typing import SupportsIndex

from summaries.checks import check_step, check_tag


class SeriesSteps:
    """Checks each tag once, and numbers the values of a tag from 0 where the caller gives no step.

    Attributes:
        checked: tags that have passed the check.
    """

    def __init__(self) -> None:
        self.checked: set[str] = set()
        self._next: dict[str, int] = {}

    def check(self, tag: str) -> None:
        """Check a tag unless it has passed before.

        Raises:
            TypeError: it is not a string.
            ValueError: it cannot be written.
        """
        if not isinstance(tag, str) or tag not in self.checked:
            self.checked.add(check_tag(tag))

    def number(self, tag: str, *steps: SupportsIndex | None) -> int:
        """Return the first step that is given, or the next number of the tag.

        Raises:
            TypeError: the step is not an integer.
            ValueError: the step does not fit into 64 bits.
        """
        for step in steps:
            if step is not None:
                return check_step(tag, step)
        return self.count((tag,))

    def count(self, tags: Iterable[str]) -> int:
        """Return the lowest number that none of the tags has had yet."""
        named = tuple(tags)
        step = max(self._next.get(tag, 0) for tag in named)
        for tag in named:
            self._next[tag] = step + 1
        return step
