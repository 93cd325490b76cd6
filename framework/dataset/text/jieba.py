"""Divides Chinese texts into words, by a dictionary and a Markov model of characters in the files of cppjieba."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Final, NamedTuple, Self

from framework.dataset.text.choices import JiebaMode
from framework.dataset.text.texts import Token, Tokenizer
from framework.dataset.transforms.checks import check_type

__all__ = ["JiebaTokenizer"]

Place = str | PathLike[str]
#: A character begins, goes on in, or ends a word, or is one.
_STATES: Final = "BEMS"
_NEVER: Final = -3.14e100
#: Words are not found across these; letters and digits of ASCII keep together in the Markov model.
_BORDERS: Final = re.compile("([ \t\n\uff0c\u3002])")
_PLAIN: Final = re.compile(r"([A-Za-z]+[A-Za-z0-9]*|[0-9]+(?:\.[0-9]+)?)")


class MarkovModel(NamedTuple):
    """Logarithms of probabilities: of the first state, of the next state after a state, of a character in a state."""

    start: tuple[float, ...]
    moves: tuple[tuple[float, ...], ...]
    characters: tuple[Mapping[str, float], ...]

    @classmethod
    def read(cls, path: Place) -> Self:
        """Read a file: four numbers, four lines of four, and four lines of `character:number,...`.

        Raises:
            RuntimeError: the file has another form.
            OSError: it cannot be read.
        """
        lines = [line for line in Path(path).read_text("utf-8").splitlines() if line.strip() and line[0] != "#"]
        try:
            numbers = [tuple(float(number) for number in line.split()) for line in lines[:5]]
            characters = tuple(
                {pair.rpartition(":")[0]: float(pair.rpartition(":")[2]) for pair in line.split(",")}
                for line in lines[5:9]
            )
        except ValueError as error:
            raise RuntimeError(f"{path} is no model of jieba's: {error}") from error
        if [len(line) for line in numbers] != [4] * 5 or len(characters) != 4:
            raise RuntimeError(f"{path} is no model of jieba's: it needs 4 numbers, 4 lines of 4, and 4 of characters")
        return cls(numbers[0], tuple(numbers[1:]), characters)

    def words(self, text: str) -> Iterator[str]:
        """The words of the most probable states (Viterbi)."""
        for part in _PLAIN.split(text):
            if _PLAIN.fullmatch(part):
                yield part
            elif part:
                yield from self._chinese(part)

    def _chinese(self, text: str) -> Iterator[str]:
        places = range(len(_STATES))
        weights = [self.start[state] + self.characters[state].get(text[0], _NEVER) for state in places]
        sources: list[list[int]] = []
        for character in text[1:]:
            best = [max(places, key=lambda last: (weights[last] + self.moves[last][state], -last)) for state in places]
            weights = [
                weights[best[state]] + self.moves[best[state]][state] + self.characters[state].get(character, _NEVER)
                for state in places
            ]
            sources.append(best)
        # A word ends with E or S.
        state = max((1, 3), key=lambda last: weights[last])
        states = [state]
        for best in reversed(sources):
            states.append(best[states[-1]])
        word = ""
        for character, last in zip(text, reversed(states), strict=True):
            word += character
            if _STATES[last] in "ES":
                yield word
                word = ""
        if word:
            yield word


class Words:
    """A dictionary: the logarithms of the frequencies of words.

    Args:
        path: file with a word, its frequency and its kind on each line.

    Raises:
        RuntimeError: the file has another form.
        OSError: it cannot be read.
    """

    def __init__(self, path: Place) -> None:
        counts: dict[str, float] = {}
        for number, line in enumerate(Path(path).read_text("utf-8").splitlines()):
            parts = line.split()
            if not parts:
                continue
            try:
                counts[parts[0]] = float(parts[1])
            except (IndexError, ValueError) as error:
                raise RuntimeError(f"line {number + 1} of {path} is no word with its frequency: {line!r}") from error
        if not counts:
            raise RuntimeError(f"{path} holds no words")
        self.total = sum(counts.values())
        self.weights = {word: math.log(count / self.total) for word, count in counts.items() if count}
        self.least = min(self.weights.values())
        self.users: set[str] = set()
        self.longest = max(map(len, self.weights))

    def add(self, word: str, frequency: int | None) -> None:
        """Add a word of the user's; without a frequency it gets the middle one of the dictionary."""
        middle = sorted(self.weights.values())[len(self.weights) // 2]
        self.weights[word] = math.log(frequency / self.total) if frequency else middle
        self.users.add(word)
        self.longest = max(self.longest, len(word))

    def words(self, text: str) -> list[str]:
        """The words of the most probable way through a text."""
        best = [(0.0, len(text))] * (len(text) + 1)
        for start in range(len(text) - 1, -1, -1):
            ways = [(self.weights.get(text[start], self.least) + best[start + 1][0], start + 1)]
            for end in range(start + 2, min(start + self.longest, len(text)) + 1):
                weight = self.weights.get(text[start:end])
                if weight is not None:
                    ways.append((weight + best[end][0], end))
            best[start] = max(ways)
        found, place = [], 0
        while place < len(text):
            end = best[place][1]
            found.append(text[place:end])
            place = end
        return found


class JiebaTokenizer(Tokenizer):
    """Divides a Chinese text into words.

    Args:
        hmm_path: file of the Markov model, cppjieba's `hmm_model.utf8`.
        mp_path: file of the dictionary, cppjieba's `jieba.dict.utf8`.
        mode: MP finds the most probable words of the dictionary, HMM words by the model; MIX uses the model for
            characters that the dictionary leaves alone.
        with_offsets: return three columns: the words, and the UInt32 places in bytes where they begin and end.
    """

    json_readers = {"mode": JiebaMode}

    def __init__(
        self, hmm_path: Place, mp_path: Place, mode: JiebaMode = JiebaMode.MIX, with_offsets: bool = False
    ) -> None:
        check_type(mode, (JiebaMode,), "mode")
        for path in (hmm_path, mp_path):
            if not Path(path).is_file():
                raise ValueError(f"jieba mode file {path} is not exist.")
        self.mode = mode
        self.model, self.dictionary = MarkovModel.read(hmm_path), Words(mp_path)
        super().__init__(hmm_path=str(hmm_path), mp_path=str(mp_path), mode=int(mode), with_offsets=with_offsets)

    def add_word(self, word: str, freq: int | None = None) -> None:
        """Add a word to the dictionary.

        Args:
            word: the word.
            freq: its frequency; None for a middle one.

        Raises:
            TypeError: an argument has another type.
            ValueError: the word is empty.
        """
        check_type(word, (str,), "word")
        if not word:
            raise ValueError("word is not allowed to be empty.")
        if freq is not None:
            check_type(freq, (int,), "freq")
        self.dictionary.add(word, freq)

    def add_dict(self, user_dict: Place | Mapping[str, int]) -> None:
        """Add words to the dictionary.

        Args:
            user_dict: frequencies by word, or the path of a file with a word, and maybe its frequency, on each line.

        Raises:
            TypeError: it is neither.
            ValueError: a line has more than that.
            OSError: the file cannot be read.
        """
        if isinstance(user_dict, Mapping):
            for word, frequency in user_dict.items():
                self.add_word(word, frequency)
            return
        check_type(user_dict, (str, PathLike), "user_dict")
        for number, line in enumerate(Path(user_dict).read_text("utf-8").splitlines()):
            parts = line.split()
            if len(parts) > 2 or (len(parts) == 2 and not parts[1].isdigit()):
                raise ValueError(f"line {number + 1} of {user_dict} is no word with a frequency: {line!r}")
            if parts:
                self.add_word(parts[0], int(parts[1]) if len(parts) == 2 else None)

    def tokens(self, text: str) -> list[Token]:
        """The words of a text."""
        words = [word for part in _BORDERS.split(text) if part for word in self._words(part)]
        ends = [0]
        for word in words:
            ends.append(ends[-1] + len(word.encode()))
        return [Token(word, start, end) for word, (start, end) in zip(words, pairwise(ends), strict=True)]

    def _words(self, text: str) -> Iterable[str]:
        if self.mode is JiebaMode.HMM:
            return self.model.words(text)
        found = self.dictionary.words(text)
        return found if self.mode is JiebaMode.MP else self._mixed(found)

    def _mixed(self, found: Sequence[str]) -> Iterator[str]:
        """Words of the dictionary, where neighboring single characters are left to the model."""
        alone = ""
        for word in found:
            if len(word) == 1 and word not in self.dictionary.users:
                alone += word
                continue
            yield from self.model.words(alone)
            alone = ""
            yield word
        yield from self.model.words(alone)
