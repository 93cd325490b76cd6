"""The tables of a store: which rows a series may have, and in files of what name they lie.

Used by all that reads or writes rows; the types of rows are those of the event file reader.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

import numpy as np
import numpy.typing as npt

from summaries.rows import PLACE, POINT

Rows = npt.NDArray[np.void]
"""Rows of a table: a structured array of its dtype."""


class Table(Enum):
    """The rows of a series that come from its event file.

    Attributes:
        suffix: what the names of its files end in.
        dtype: the type of its rows.
    """

    POINTS = ("points", POINT)
    PLACES = ("places", PLACE)

    def __init__(self, suffix: str, dtype: np.dtype[np.void]) -> None:
        self.suffix = suffix
        self.dtype = dtype


def one_after_another(parts: Iterable[Rows]) -> Rows:
    """Returns the points of all parts, rows of POINT, in one array that nobody changes.

    Many times faster for a thousand short parts than `np.concatenate`, which looks at the columns of each.
    """
    return np.frombuffer(b"".join(part.tobytes() for part in parts), POINT)
