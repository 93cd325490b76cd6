"""Selects values by tag and by kind. Made from a command's options, used while files are read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import translate

import numpy as np
from numpy.typing import NDArray

from summaries.kinds import KIND_INDEX, KINDS, Kind


class Selection:
    """Selects the values whose tag matches a pattern and whose kind is one of those given.

    Args:
        tags: shell patterns; without any, all tags are selected.
        kinds: names of kinds; without any, all kinds are selected.
    """

    def __init__(self, tags: Iterable[str] = (), kinds: Iterable[Kind] = ()) -> None:
        self._patterns = [re.compile(translate(tag)) for tag in tags]
        self._kinds = frozenset(kinds) or frozenset(KINDS)

    def wants_kind(self, kind: Kind) -> bool:
        """Whether values of this kind are selected."""
        return kind in self._kinds

    def wants_tag(self, tag: str) -> bool:
        """Whether values of this tag are selected. Graphs and the like have the empty tag."""
        return not self._patterns or any(pattern.match(tag) for pattern in self._patterns)

    def kind_mask(self) -> NDArray[np.bool_]:
        """One entry for each of `KINDS`: whether it is selected."""
        mask = np.zeros(len(KINDS), np.bool_)
        mask[[KIND_INDEX[kind] for kind in self._kinds]] = True
        return mask


class TagMask:
    """Which tags of one reader are selected, by index. Handles new tags in a growing list."""

    def __init__(self, selection: Selection) -> None:
        self._selection = selection
        self._mask = np.zeros(0, np.bool_)

    def of(self, tags: list[str]) -> NDArray[np.bool_]:
        """Returns one entry for each tag."""
        fresh = tags[len(self._mask) :]
        if fresh:
            answers = [self._selection.wants_tag(tag) for tag in fresh]
            self._mask = np.concatenate((self._mask, np.array(answers, np.bool_)))
        return self._mask
