"""Vectors of words, as GloVe, fastText and character n-grams have them, from their text files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from framework.dataset.transforms.checks import INT32, check_interval, check_type

__all__ = ["CharNGram", "FastText", "GloVe", "Vectors"]

Vector = npt.NDArray[np.float32]


class Vectors:
    """The vectors of words.

    Args:
        vectors: the vectors by word, all of one length.
        dim: their length.
    """

    #: What the name of a file must hold, and how it must end; empty for anything.
    name_holds = ""
    name_ends = ""

    def __init__(self, vectors: Mapping[str, Vector], dim: int) -> None:
        self.vectors, self.dim = vectors, dim

    @classmethod
    def from_file(cls, file_path: str | PathLike[str], max_vectors: int | None = None) -> Self:
        """Read a file with a word and its numbers on each line; a first line with two numbers is left out.

        Args:
            file_path: the path of the file.
            max_vectors: number of lines that are read; None for all.

        Raises:
            TypeError: an argument has another type.
            ValueError: `max_vectors` is below 0.
            RuntimeError: the file is empty, or its vectors differ in length; the message names the line.
            OSError: the file cannot be read.
        """
        check_type(file_path, (str, PathLike), "file_path")
        if max_vectors is not None:
            check_type(max_vectors, (int,), "max_vectors")
            check_interval(max_vectors, (0, INT32), "max_vectors")
        path = Path(file_path)
        if cls.name_holds not in path.name or not path.name.endswith(cls.name_ends):
            raise RuntimeError(
                f"{cls.__name__}: invalid file, can not find file '*{cls.name_holds}*{cls.name_ends}', but got:"
                f" {path.name}"
            )
        found: dict[str, Vector] = {}
        dim = 0
        for number, (word, values) in enumerate(_lines(path, max_vectors or None)):
            dim = dim or len(values)
            if len(values) != dim or dim < 2:
                raise RuntimeError(
                    f"{cls.__name__}: all vectors must have the same number of dimensions, above 1, but got dim"
                    f" {len(values)} while expecting {dim}, for vector {number + 1} of {path}"
                )
            found.setdefault(word, values)
        if not found:
            raise RuntimeError(f"{cls.__name__}: invalid file, {path} is empty.")
        return cls(found, dim)

    def lookup(self, token: str, unknown: Vector, lower_case_backup: bool) -> Vector:
        """The vector of a word.

        Args:
            token: the word.
            unknown: the vector of an unknown word.
            lower_case_backup: look the word up in lower case where it is not there as it is.
        """
        vector = self.vectors.get(token)
        if vector is None and lower_case_backup:
            vector = self.vectors.get(token.lower())
        return unknown if vector is None else vector


def _lines(path: Path, most: int | None) -> Iterator[tuple[str, Vector]]:
    """The words and their vectors."""
    with path.open(encoding="utf-8") as file:
        seen = 0
        for line in file:
            word, *numbers = line.rstrip().split(" ")
            if not seen and len(numbers) == 1:
                continue
            if seen == most:
                return
            seen += 1
            try:
                yield word, np.array(numbers, np.float32)
            except ValueError as error:
                raise RuntimeError(f"{path}: vector {seen}, of {word!r}, holds something other than numbers") from error


class GloVe(Vectors):
    """Vectors of GloVe; the file's name is like `glove.6B.50d.txt`."""

    name_holds = "glove."
    name_ends = ".txt"


class FastText(Vectors):
    """Vectors of fastText; the file's name ends in `.vec`."""

    name_ends = ".vec"


class CharNGram(Vectors):
    """Vectors of sequences of characters: that of a word is the mean of those in it (Hashimoto et al. 2017)."""

    def lookup(self, token: str, unknown: Vector, lower_case_backup: bool) -> Vector:
        """The mean of the vectors of a word's sequences of 2, 3 and 4 characters, with marks around the word."""
        word = token.lower() if lower_case_backup else token
        marked: Sequence[str] = ["#BEGIN#", *word, "#END#"]
        sequences = [
            f"{size}gram-{''.join(marked[place : place + size])}"
            for size in (2, 3, 4)
            for place in range(len(marked) - size + 1)
        ]
        found = [self.vectors[sequence] for sequence in sequences if sequence in self.vectors]
        return np.mean(found, axis=0, dtype=np.float32) if found else unknown
