"""Finds slices by a part of their names. Called by the API."""

from __future__ import annotations

import numpy as np

from mindinsight.profiles.columns.stored import Stored


def find(profile: Stored, text: str, after: int, back: bool = False) -> tuple[int | None, int]:
    """Returns the row of the next slice with a text in its name, and how many slices have it.

    Args:
        profile: the columns.
        text: a part of the name. Capitals do not matter.
        after: nanoseconds: the slice starts here or later.
        back: instead the last slice that starts before.
    """
    wanted = text.casefold()
    names = [wanted in name.casefold() for name, _ in profile.head["names"]]
    rows = np.flatnonzero(np.array(names, bool)[profile.kind_name][profile.kind])
    if not len(rows):
        return None, 0
    start = profile.start[rows]
    fitting = np.flatnonzero(start < after if back else start >= after)
    if not len(fitting):  # From the other end on.
        fitting = np.arange(len(rows))
    best = fitting[np.argmax(start[fitting]) if back else np.argmin(start[fitting])]
    return int(rows[best]), len(rows)
