"""The sizes of the parts of a split."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["parts"]


def parts(sizes: Sequence[int] | Sequence[float], total: int) -> list[int]:
    """The number of rows of each part; fractions are rounded as in MindSpore.

    Args:
        sizes: numbers of rows, or fractions.
        total: number of rows in all.

    Returns:
        One number for each part.

    Raises:
        TypeError: sizes are neither all ints nor all floats.
        ValueError: the sizes do not add up to `total` or 1, or a part would be empty.
    """
    if not sizes:
        raise ValueError("split: sizes is empty")
    if all(isinstance(size, int) and not isinstance(size, bool) for size in sizes):
        counts = [int(size) for size in sizes]
        if sum(counts) != total:
            raise ValueError(f"split: the sizes {counts} add up to {sum(counts)}, but there are {total} rows")
    elif all(isinstance(size, float) for size in sizes):
        if abs(sum(sizes) - 1) > 1e-9:
            raise ValueError(f"split: the fractions {list(sizes)} add up to {sum(sizes)}, not to 1")
        counts = [round(size * total) for size in sizes]
        missing = total - sum(counts)
        # The first part gets the rows that rounding left over; the first large enough part gives up the excess.
        giving = next((number for number, count in enumerate(counts) if count + missing > 0), 0)
        counts[0 if missing > 0 else giving] += missing
    else:
        raise TypeError(f"split: sizes must be numbers of rows or fractions, not {list(sizes)}")
    if min(counts) < 1:
        raise ValueError(f"split: the parts would have {counts} of {total} rows; none may be empty")
    return counts
