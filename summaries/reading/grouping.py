"""Rows of many series in file order, taken apart by series.

Called for each batch that the reader hands out.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from summaries.kernel import library
from summaries.reading.walker import group

_SHORT = 1 << 16


def by_group(number: NDArray[np.int32], rows: NDArray[np.void]) -> Iterator[tuple[int, NDArray[np.void]]]:
    """Yield each number that occurs with its rows, by number; order is kept inside each.

    Args:
        number: of each row, zero or more.
        rows: as many.
    """
    if not len(rows):
        return
    ordered, numbers, starts = grouped(number, rows)
    for each, start, end in zip(numbers, starts, [*starts[1:], len(rows)], strict=True):
        yield each, ordered[start:end]


def grouped(number: NDArray[np.int32], rows: NDArray[np.void]) -> tuple[NDArray[np.void], list[int], list[int]]:
    """Return the rows sorted by their numbers, the numbers that occur, and where the rows of each begin.

    Args:
        number: of each row, zero or more.
        rows: as many, at least one; their order is kept among equal numbers.
    """
    groups = int(number.max()) + 1
    # Counting needs room for every group, however few rows there are.
    if library.LIBRARY is None or groups >= 4 * len(rows) + _SHORT:
        return _by_sorting(number, rows, groups)
    ordered, begins = group(number, rows, groups)
    found = np.flatnonzero(begins[1:] > begins[:-1])
    return ordered, found.tolist(), begins[found].tolist()


def _by_sorting(
    number: NDArray[np.int32], rows: NDArray[np.void], groups: int
) -> tuple[NDArray[np.void], list[int], list[int]]:
    # Of 16 bits, numpy sorts by counting.
    order = np.argsort(number.astype(np.uint16) if groups <= _SHORT else number, kind="stable")
    numbers = number[order]
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    return rows[order], numbers[starts].tolist(), starts.tolist()
