"""How a pass says what it did, for `ds.explain`."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Say", "silent"]

#: Takes a sentence about a change of the tree.
Say = Callable[[str], None]


def silent(sentence: str) -> None:
    """Say nothing: a run needs no explanation."""
