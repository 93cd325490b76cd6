"""Groups rows by series: the rows of a batch arrive in file order."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from summaries.kernel import library
from summaries.reading.walker import group

_SHORT = 1 << 16


def by_group(number: NDArray[np.int32], rows: NDArray[np.void]) -> Iterator[tuple[int, NDArray[np.void]]]:
    """Yield each number and its rows, in ascending order; rows keep their order.

    Args:
        number: group of each row, not negative.
        rows: the rows, one for each number.
    """
    if not len(rows):
        return
    ordered, numbers, starts = grouped(number, rows)
    for each, start, end in zip(numbers, starts, [*starts[1:], len(rows)], strict=True):
        yield each, ordered[start:end]


def grouped(number: NDArray[np.int32], rows: NDArray[np.void]) -> tuple[NDArray[np.void], list[int], list[int]]:
    """Return the rows sorted by number (stable), the numbers, and the start of each number's rows.

    Args:
        number: group of each row, not negative.
        rows: the rows, one for each number, at least one.
    """
    groups = int(number.max()) + 1
    # Counting sort needs memory for every possible group, however few rows there are.
    if library.LIBRARY is None or groups >= 4 * len(rows) + _SHORT:
        return _by_sorting(number, rows, groups)
    ordered, begins = group(number, rows, groups)
    found = np.flatnonzero(begins[1:] > begins[:-1])
    return ordered, found.tolist(), begins[found].tolist()


def _by_sorting(
    number: NDArray[np.int32], rows: NDArray[np.void], groups: int
) -> tuple[NDArray[np.void], list[int], list[int]]:
    # numpy sorts 16-bit numbers by counting.
    order = np.argsort(number.astype(np.uint16) if groups <= _SHORT else number, kind="stable")
    numbers = number[order]
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    return rows[order], numbers[starts].tolist(), starts.tolist()
