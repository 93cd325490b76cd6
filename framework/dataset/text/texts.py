"""The base classes of text transforms, and texts from and to arrays."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from framework.dataset.transforms.checks import check_type
from framework.dataset.transforms.operation import TensorOperation

__all__ = ["TextOperation", "Token", "Tokenizer", "as_texts", "one_text", "row_of_texts", "to_bytes", "to_str"]

Random = np.random.Generator
Texts = npt.NDArray[np.str_]


class Token(NamedTuple):
    """A part of a text.

    Attributes:
        text: its characters.
        start: its first byte in the UTF-8 form of the text.
        end: the byte behind it.
    """

    text: str
    start: int
    end: int


def as_texts(operator: str, value: Any) -> Texts:
    """An array of texts.

    Raises:
        RuntimeError: the value holds something else.
    """
    array = np.asarray(value)
    if array.dtype.kind == "S":
        return np.char.decode(array, "utf-8")
    if array.dtype.kind != "U":
        raise RuntimeError(f"{operator}: the input should be of type string, but got: {array.dtype}.")
    return array


def one_text(operator: str, value: Any) -> str:
    """The text of an array without dimensions.

    Raises:
        RuntimeError: the value is something else.
    """
    texts = as_texts(operator, value)
    if texts.ndim:
        raise RuntimeError(f"{operator}: the input should be a scalar, but got a tensor with rank: {texts.ndim}.")
    return str(texts)


def row_of_texts(operator: str, value: Any) -> list[str]:
    """The texts of an array of one dimension.

    Raises:
        RuntimeError: the value is something else.
    """
    texts = as_texts(operator, value)
    if texts.ndim != 1:
        raise RuntimeError(f"{operator}: input is not a 1-D data, but got rank: {texts.ndim}.")
    return [str(text) for text in texts]


def to_bytes(array: Any, encoding: str = "utf8") -> npt.NDArray[np.bytes_]:
    """Encode an array of texts.

    Args:
        array: the texts.
        encoding: the encoding.

    Returns:
        An array of bytes.

    Raises:
        ValueError: the array holds no texts.
    """
    given = np.asarray(array)
    if given.dtype.kind != "U":
        raise ValueError("input should be a NumPy array of `str` data type.")
    return np.char.encode(given, encoding)


def to_str(array: Any, encoding: str = "utf8") -> Texts:
    """Decode an array of bytes.

    Args:
        array: the bytes; texts stay as they are.
        encoding: the encoding.

    Returns:
        An array of texts.

    Raises:
        ValueError: the array holds neither.
    """
    given = np.asarray(array)
    if given.dtype.kind == "U":
        return given
    if given.dtype.kind != "S":
        raise ValueError("input should be a NumPy array of `bytes` data type.")
    return np.char.decode(given, encoding)


class TextOperation(TensorOperation):
    """Base class of transforms of each text of an array."""

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Transform an array of texts of any shape."""
        texts = as_texts(type(self).__name__, values[0])
        made = np.array([self.changed(str(text)) for text in texts.ravel()], np.str_)
        return made.reshape(texts.shape)

    @abstractmethod
    def changed(self, text: str) -> str:
        """The text afterwards."""


class Tokenizer(TensorOperation):
    """Base class of transforms of a text into an array of its parts.

    Args:
        with_offsets: return three columns: the parts, and the UInt32 places in bytes where they begin and end.
    """

    takes_all = True

    def __init__(self, *, with_offsets: bool = False, **parameters: Any) -> None:
        check_type(with_offsets, (bool,), "with_offsets")
        self.with_offsets = with_offsets
        super().__init__(**parameters, with_offsets=with_offsets)

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Divide a text; an empty one gives one empty part."""
        return self.result(self.tokens(one_text(type(self).__name__, values[0])))

    def tokens(self, text: str) -> list[Token]:
        """The parts of a text."""
        raise NotImplementedError

    def result(self, found: Sequence[Token]) -> Any:
        """The columns for parts."""
        tokens = list(found) or [Token("", 0, 0)]
        parts = np.array([token.text for token in tokens], np.str_)
        if not self.with_offsets:
            return parts
        starts, ends = ([token[place] for token in tokens] for place in (1, 2))
        return parts, np.array(starts, np.uint32), np.array(ends, np.uint32)


def runs(text: str, key: Callable[[str], Any]) -> list[Token]:
    """The longest parts whose characters have one key."""
    found: list[Token] = []
    start = place = 0
    part = ""
    last: Any = None
    for character in text:
        mark = key(character)
        if part and mark != last:
            found.append(Token(part, start, place))
            start, part = place, ""
        part += character
        place += len(character.encode())
        last = mark
    if part:
        found.append(Token(part, start, place))
    return found
