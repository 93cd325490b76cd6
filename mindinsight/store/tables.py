"""The tables of a store: the kinds of rows of a series, and the names of their files.

Used by all code that reads or writes rows. The types of rows are those of the event file reader.
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
    """One kind of rows of a series, from its event file.

    Attributes:
        suffix: suffix of the names of its files.
        dtype: the type of its rows.
    """

    POINTS = ("points", POINT)
    PLACES = ("places", PLACE)

    def __init__(self, suffix: str, dtype: np.dtype[np.void]) -> None:
        self.suffix = suffix
        self.dtype = dtype


def one_after_another(parts: Iterable[Rows]) -> Rows:
    """Concatenates the points of all parts (rows of POINT) into one read-only array.

    For a thousand short parts it is many times faster than `np.concatenate`, which handles the columns of each.
    """
    return np.frombuffer(b"".join(part.tobytes() for part in parts), POINT)
