"""Reads constants and types as `framework.ir.text` writes them."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.common.tensor import Tensor
from framework.ir.abstract import (
    UNKNOWN,
    Abstract,
    AbstractConst,
    AbstractDict,
    AbstractEnv,
    AbstractFunction,
    AbstractMonad,
    AbstractScalar,
    AbstractTensor,
    AbstractTuple,
)
from framework.ir.operators import EMPTY_ENVIRON, STATE, SymbolicKey, abstract_of
from framework.ir.python_ops import NEVER

__all__ = ["TextError", "outside", "parts", "read_constant", "read_type"]

_DTYPES = {str(dtype): dtype for dtype in (mstype.bool_, *mstype.number_type)}
_NUMBERS = {"Bool": bool, "Int64": int, "Float64": float, "str": str}
_FLOATS = {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}
_CONSTANTS: dict[str, Any] = {
    "U": STATE,
    "{}": EMPTY_ENVIRON,
    "None": None,
    "True": True,
    "False": False,
    "Ellipsis": Ellipsis,
    **_FLOATS,
    **_DTYPES,
}
_SIMPLE: dict[str, Abstract] = {
    "Func": AbstractFunction(),
    "EnvType": AbstractEnv(),
    "UMonad": AbstractMonad(),
    "None": AbstractConst(None),
    "slice": AbstractConst(slice(None)),
    "DType": AbstractConst(mstype.float32),
    "ellipsis": AbstractConst(Ellipsis),
    "_Never": AbstractConst(NEVER),
    "type": AbstractConst(type),
    "SymbolicKey": AbstractConst(SymbolicKey("")),
}
_TENSOR = re.compile(r"Tensor\(shape=(?P<shape>\[[^\]]*\]), dtype=(?P<dtype>\w+), value=(?P<value>.*)\)")
_LITERAL = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^,>\]]*"


class TextError(ValueError):
    """A text is not a program."""


def read_type(text: str) -> Abstract | None:
    """Read a type: the abstract value that the text stands for, None for `<?>`."""
    return None if text == "<?>" else _Types(text).whole()


def read_constant(text: str, other: Callable[[str], Any]) -> Any:
    """Read a constant. A tensor whose elements are left out of the text gets zeros.

    Args:
        text: the text of the constant.
        other: reads anything that is not a constant of the IR, such as an operator within a tuple.
    """
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if found := _TENSOR.fullmatch(text):
        return _tensor(ast.literal_eval(found["shape"]), _DTYPES[found["dtype"]], found["value"], other)
    if text.startswith("slice("):
        return slice(*(read_constant(part, other) for part in parts(text[6:-1])))
    if text.startswith("{"):
        pairs = (_entry(part) for part in parts(text[1:-1]))
        return {read_constant(key, other): read_constant(value, other) for key, value in pairs}
    if text.startswith("["):
        return [read_constant(part, other) for part in parts(text[1:-1])]
    if text.startswith("(") and not text.endswith("j)"):
        return tuple(read_constant(part, other) for part in parts(text[1:-1].rstrip(",")))
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return other(text)


def _tensor(shape: list[int], dtype: mstype.DType, value: str, other: Callable[[str], Any]) -> Tensor:
    elements = np.zeros(shape) if value == "..." else np.array(read_constant(value, other))
    return Tensor(elements.astype(dtype.numpy).reshape(shape))


def outside(text: str) -> Iterator[tuple[int, str, int]]:
    """The characters outside of quotes, each with its position and the number of brackets that are open before it."""
    depth, quote, escaped = 0, "", False
    for place, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote and not escaped else quote
            escaped = letter == "\\" and not escaped
            continue
        yield place, letter, depth
        if letter in "'\"":
            quote = letter
        elif letter in "([{<":
            depth += 1
        elif letter in ")]}" or (letter == ">" and text[place - 1] != "-"):
            depth -= 1


def parts(text: str) -> list[str]:
    """The parts of a text between commas; commas in brackets and quotes do not separate."""
    commas = [place for place, letter, depth in outside(text) if letter == "," and depth == 0]
    found = [text[begin:end].strip() for begin, end in zip([0, *(c + 1 for c in commas)], [*commas, None], strict=True)]
    return found if found[-1] else found[:-1]


def _entry(text: str) -> tuple[str, str]:
    """The key and the value of a dictionary's entry."""
    place = next(place for place, letter, depth in outside(text) if letter == ":" and depth == 0)
    return text[:place].strip(), text[place + 1 :].strip()


class _Types:
    """Reads one type from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0

    def whole(self) -> Abstract:
        self._take("<")
        return self._type()

    def _type(self) -> Abstract:
        name = self._match(r"\w+")
        if name == "Tensor":
            dtype = self._match(r"\[\w+\]")[1:-1]
            shape = self._match(r", \([^)]*\)")[3:-1]
            dims = [None if dim.strip() == "?" else int(dim) for dim in shape.split(",") if dim.strip()]
            return AbstractTensor(tuple(dims), _DTYPES[dtype])
        if name in ("Tuple", "List"):
            return AbstractTuple(tuple(self._items(self._type)), name == "List")
        if name == "Dictionary":
            pairs = list(self._items(self._key_and_type))
            return AbstractDict(tuple(key for key, _ in pairs), tuple(item for _, item in pairs))
        if self.text.startswith(", value=", self.place):
            value = self._match(f", value=(?:{_LITERAL})")[8:]
            return abstract_of(_FLOATS[value] if value in _FLOATS else ast.literal_eval(value))
        if name in _SIMPLE:
            return _SIMPLE[name]
        error = getattr(builtins, name, None)
        if isinstance(error, type) and issubclass(error, BaseException):
            return AbstractScalar(UNKNOWN, error)
        if name not in _NUMBERS:
            raise TextError(f"no type: {self.text}")
        return AbstractScalar(UNKNOWN, _NUMBERS[name])

    def _key_and_type(self) -> tuple[Any, Abstract]:
        rest = self.text[self.place :]
        end = next(place for place, letter, depth in outside(rest) if letter == ":" and depth == 0)
        self.place += end + 2
        return ast.literal_eval(rest[:end]), self._type()

    def _items(self, item: Callable[[], Any]) -> Iterator[Any]:
        self._take("[")
        while not self.text.startswith("]", self.place):
            yield item()
            if self.text.startswith(", ", self.place):
                self.place += 2
        self._take("]")

    def _take(self, text: str) -> None:
        self._match(re.escape(text))

    def _match(self, pattern: str) -> str:
        found = re.compile(pattern).match(self.text, self.place)
        if found is None:
            raise TextError(f"no type: {self.text}, at {self.place}")
        self.place = found.end()
        return found[0]
