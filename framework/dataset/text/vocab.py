"""A vocabulary: words and their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np

from framework.dataset.transforms.checks import INT32, check_interval, check_list, check_type

__all__ = ["Rows", "Vocab"]


class Rows(Protocol):
    """What a vocabulary can be made of: a data set."""

    def get_col_names(self) -> list[str]:
        """The names of the columns."""

    def create_dict_iterator(self, num_epochs: int = -1, output_numpy: bool = False) -> Iterable[Mapping[str, Any]]:
        """The rows."""


class Vocab:
    """Words and their numbers, made by `from_dataset`, `from_list`, `from_file` or `from_dict`."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._words: dict[int, str] | None = None

    @classmethod
    def from_dict(cls, word_dict: Mapping[str, int]) -> Self:
        """A vocabulary with given numbers.

        Args:
            word_dict: the numbers, at least 0, by word.

        Raises:
            TypeError: it is no dict of texts and integers.
            ValueError: a number is below 0.
        """
        check_type(word_dict, (dict,), "word_dict")
        made = cls()
        for word, number in word_dict.items():
            check_type(word, (str,), "word")
            check_type(number, (int,), "word_id")
            check_interval(number, (0, INT32), "word_id")
            made._ids[word] = int(number)
        return made

    @classmethod
    def from_list(
        cls, word_list: Sequence[str], special_tokens: Sequence[str] | None = None, special_first: bool = True
    ) -> Self:
        """A vocabulary that numbers words in their order.

        Args:
            word_list: the words.
            special_tokens: further words, such as "[UNK]"; None for none.
            special_first: number the special words before the others; otherwise behind them.

        Raises:
            TypeError: an argument has another type.
            ValueError: a word is there twice.
        """
        check_list(word_list, (str,), "word_list")
        specials = _specials(special_tokens)
        check_type(special_first, (bool,), "special_first")
        _no_twins(word_list, "word_list contains duplicate word")
        both = [word for word in word_list if word in set(specials)]
        if both:
            raise ValueError(f"special_tokens and word_list contain duplicate word: {both[0]}.")
        made = cls()
        ordered = [*specials, *word_list] if special_first else [*word_list, *specials]
        made._ids = {word: number for number, word in enumerate(ordered)}
        return made

    @classmethod
    def from_file(
        cls,
        file_path: str | PathLike[str],
        delimiter: str = "",
        vocab_size: int | None = None,
        special_tokens: Sequence[str] | None = None,
        special_first: bool = True,
    ) -> Self:
        """A vocabulary of the lines of a file.

        Args:
            file_path: the path of the file.
            delimiter: what ends the word on a line; empty for the line's end.
            vocab_size: number of words that are read; None for all.
            special_tokens: further words, such as "[UNK]"; None for none.
            special_first: number the special words before the others; otherwise behind them.

        Raises:
            TypeError: an argument has another type.
            ValueError: a word is there twice, or `vocab_size` is not above 0.
            OSError: the file cannot be read.
        """
        check_type(delimiter, (str,), "delimiter")
        if vocab_size is not None:
            check_type(vocab_size, (int,), "vocab_size")
            check_interval(vocab_size, (1, INT32), "vocab_size")
        lines = Path(file_path).read_text("utf-8").split("\n")
        words = lines[:-1] if lines[-1] == "" else lines
        if delimiter:
            words = [word.split(delimiter, 1)[0] for word in words]
        return cls.from_list(words[:vocab_size], special_tokens, special_first)

    @classmethod
    def from_dataset(
        cls,
        dataset: Rows,
        columns: str | Sequence[str] | None = None,
        freq_range: tuple[int | None, int | None] | None = None,
        top_k: int | None = None,
        special_tokens: Sequence[str] | None = None,
        special_first: bool = True,
    ) -> Self:
        """A vocabulary of the words of a data set, the most frequent first, equally frequent ones in their order.

        Args:
            dataset: the data set.
            columns: its columns with words; None for all columns of texts.
            freq_range: the lowest and the highest number of times that a word occurs; None, also in it, for any.
            top_k: number of words that are kept; None for all.
            special_tokens: further words, such as "[UNK]"; None for none.
            special_first: number the special words before the others; otherwise behind them.

        Raises:
            TypeError: an argument has another type.
            ValueError: `freq_range` or `top_k` is out of range, or a special word occurs in the data set.
        """
        names = [columns] if isinstance(columns, str) else list(columns or [])
        low, high = _frequencies(freq_range)
        if top_k is not None:
            check_type(top_k, (int,), "top_k")
            check_interval(top_k, (1, INT32), "top_k")
        missing = [name for name in names if name not in dataset.get_col_names()]
        if missing:
            raise ValueError(f"the data set has no column {missing[0]!r}")
        counts: Counter[str] = Counter()
        for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True):
            for name in names or [name for name, value in row.items() if value.dtype.kind == "U"]:
                if row[name].dtype.kind != "U":
                    raise RuntimeError(f"column {name!r} holds {row[name].dtype}, and no texts")
                counts.update(np.ravel(row[name]).tolist())
        kept = {word: count for word, count in counts.items() if low <= count <= high}
        ordered = sorted(kept, key=lambda word: (-kept[word], word))[:top_k]
        return cls.from_list(ordered, special_tokens, special_first)

    def vocab(self) -> dict[str, int]:
        """The numbers by word."""
        return dict(self._ids)

    def tokens_to_ids(self, tokens: Any) -> Any:
        """The numbers of words, -1 for unknown ones.

        Args:
            tokens: a word, or a list or array of words.

        Returns:
            A number, or a list of numbers.

        Raises:
            TypeError: they are no texts.
        """
        if isinstance(tokens, np.ndarray):
            tokens = tokens.tolist()
        check_type(tokens, (str, list, tuple), "tokens")
        if isinstance(tokens, str):
            return self._ids.get(tokens, -1)
        check_list(list(tokens), (str,), "tokens")
        return [self._ids.get(token, -1) for token in tokens]

    def ids_to_tokens(self, ids: Any) -> Any:
        """The words of numbers, empty texts for unknown ones.

        Args:
            ids: a number, or a list or array of numbers.

        Returns:
            A word, or a list of words.

        Raises:
            TypeError: they are no integers.
            ValueError: one is below 0.
        """
        if isinstance(ids, np.ndarray):
            ids = ids.tolist()
        check_type(ids, (int, list, tuple), "ids")
        several = isinstance(ids, list | tuple)
        numbers = list(ids) if several else [ids]
        for number in numbers:
            check_type(number, (int,), "ids")
            check_interval(number, (0, INT32), "ids")
        if self._words is None:
            self._words = {number: word for word, number in self._ids.items()}
        words = [self._words.get(number, "") for number in numbers]
        return words if several else words[0]


def _specials(special_tokens: Sequence[str] | None) -> list[str]:
    specials = list(special_tokens or [])
    check_list(specials, (str,), "special_tokens")
    _no_twins(specials, "special_tokens contains duplicate word")
    return specials


def _no_twins(words: Sequence[str], says: str) -> None:
    twins = [word for word, count in Counter(words).items() if count > 1]
    if twins:
        raise ValueError(f"{says}: {twins[0]}.")


def _frequencies(freq_range: tuple[int | None, int | None] | None) -> tuple[float, float]:
    if freq_range is None:
        return 0, float("inf")
    check_type(freq_range, (tuple,), "freq_range")
    if len(freq_range) != 2:
        raise ValueError("freq_range needs to be a tuple of 2 integers or an int and a None.")
    low, high = freq_range
    for number in freq_range:
        if number is not None:
            check_type(number, (int,), "freq_range")
            check_interval(number, (0, INT32), "freq_range")
    if low is not None and high is not None and low > high:
        raise ValueError("frequency range [a,b] should be 0 <= a <= b (a,b are inclusive).")
    return 0 if low is None else low, float("inf") if high is None else high
