"""The texts of a graph: one table of bytes with offsets, so that a million names are two arrays that can be mapped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt


class StringTable:
    """Texts by number.

    Args:
        data: all texts as UTF-8, concatenated.
        offsets: start of each text, followed by the end of the last one.
    """

    def __init__(self, data: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]) -> None:
        self.data = data
        self.offsets = offsets

    @classmethod
    def of(cls, texts: Iterable[str]) -> StringTable:
        """Returns a table of these texts. Lone surrogates are kept."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        offsets = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum([len(text) for text in encoded], out=offsets[1:])
        return cls(np.frombuffer(b"".join(encoded), np.uint8), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, number: int) -> str:
        first, last = int(self.offsets[number]), int(self.offsets[number + 1])
        return self.data[first:last].tobytes().decode("utf-8", "surrogatepass")

    def many(self, numbers: npt.NDArray[np.integer]) -> list[str]:
        """Returns several texts at once, which is much faster than one by one."""
        data = self.data.tobytes()
        firsts, lasts = self.offsets[numbers].tolist(), self.offsets[numbers + 1].tolist()
        return [data[first:last].decode("utf-8", "surrogatepass") for first, last in zip(firsts, lasts, strict=True)]

    def __iter__(self) -> Iterator[str]:
        data, offsets = self.data.tobytes(), self.offsets.tolist()
        for first, last in pairwise(offsets):
            yield data[first:last].decode("utf-8", "surrogatepass")


def sound(text: str | bytes) -> str:
    """Returns a text of a protobuf message. Invalid UTF-8 arrives as bytes, and its bad bytes are escaped."""
    return text if isinstance(text, str) else text.decode("utf-8", "backslashreplace")


class Interner:
    """Gives every distinct text a number, starting with 0 for the empty text."""

    def __init__(self) -> None:
        self._numbers = {"": 0}

    def number(self, text: str) -> int:
        """Returns the number of a text."""
        return self._numbers.setdefault(text, len(self._numbers))

    def table(self) -> StringTable:
        """Returns all texts by number."""
        return StringTable.of(self._numbers)
