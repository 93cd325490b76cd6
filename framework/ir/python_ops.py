"""The operators of Python's own syntax, as the parser leaves them: `a + b` is `add(a, b)`, whatever a and b are.

`run` does what Python does, so the interpreter executes parsed programs as they are. Inference replaces each operator
according to the types of its arguments: by a primitive for tensors, by a constant for known values.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable
from typing import Any, Final

from framework.ir.anf import Operator

__all__ = ["ALL", "COMPARISONS", "NEVER", "Deleted", "PythonOp", "Undefined", "op", "printing"]


class PythonOp(Operator):
    """An operator of Python.

    Attributes:
        run: computes the result from Python values.
        symbol: the operator as it is written, for messages.
    """

    __slots__ = ("run", "symbol")

    def __init__(
        self, name: str, run: Callable[..., Any], symbol: str = "", attrs: dict[str, Any] | None = None
    ) -> None:
        super().__init__(name, attrs)
        self.run = run
        self.symbol = symbol or name


class Undefined:
    """The value of a local variable that no statement on the path has set.

    Attributes:
        name: the name of the variable.
        lines: the lines that set it.
        kind: the error of Python that its use is.
    """

    kind: type[Exception] = UnboundLocalError

    def __init__(self, name: str, lines: tuple[int, ...]) -> None:
        self.name = name
        self.lines = lines

    def __repr__(self) -> str:
        return f"undefined {self.name}"

    def complaint(self) -> str:
        """The message for the user."""
        where = ", ".join(map(str, self.lines))
        return f"variable '{self.name}' may be undefined here: it is set only in line {where}, which need not run"


class Deleted(Undefined):
    """The value of a local variable that `del` has deleted."""

    def complaint(self) -> str:
        """The message for the user."""
        return f"variable '{self.name}' may be undefined here: line {self.lines[0]} deletes it"


class _Never:
    """The result of a function that only raises."""

    def __repr__(self) -> str:
        return "never"


NEVER: Final = _Never()


def _sequence(iterable: Iterable[Any]) -> Any:
    """A sequence for a `for` loop to index: the keys of a dictionary, the items of an iterator."""
    return iterable if hasattr(iterable, "__getitem__") and not isinstance(iterable, dict) else tuple(iterable)


def _item(sequence: Any, index: int) -> Any:
    return sequence[index]


def _setitem(target: Any, index: Any, value: Any) -> Any:
    copy = target.copy() if hasattr(target, "copy") else list(target)
    copy[index] = value
    return copy


def _add_to(target: Any, more: Any) -> Any:
    return [*target, *more] if isinstance(target, list) else target + more


def _change(target: Any, method: str, positional: Any, named: dict[str, Any]) -> tuple[Any, Any]:
    """The target after `target.method(...)`, and the result of the call."""
    changed = target.copy() if isinstance(target, list | dict) else target
    return changed, getattr(changed, method)(*positional, **named)


def _unpack(sequence: Any, before: int, star: bool, after: int) -> tuple[Any, ...]:
    items = tuple(sequence)
    if len(items) < before + after or (not star and len(items) > before):
        raise ValueError(f"cannot unpack {len(items)} values into {before + after} variables")
    if not star:
        return items
    behind = len(items) - after
    return (*items[:before], list(items[before:behind]), *items[behind:])


def _call_with(function: Callable[..., Any], positional: Any, named: dict[str, Any]) -> Any:
    return function(*positional, **named)


def _raise(error: Any, cause: Any = None) -> Any:
    raise error from cause


def _check(condition: Any, message: Any = None) -> None:
    if not condition:
        raise AssertionError(*(() if message is None else (message,)))


def _format(value: Any, conversion: int, spec: str) -> str:
    converters: dict[int, Callable[[Any], Any]] = {114: repr, 115: str, 97: ascii}
    converted = converters[conversion](value) if conversion in converters else value
    return format(converted, spec)


_TABLE: tuple[tuple[str, Callable[..., Any], str], ...] = (
    ("add", operator.add, "+"), ("sub", operator.sub, "-"), ("mul", operator.mul, "*"),
    ("truediv", operator.truediv, "/"), ("floordiv", operator.floordiv, "//"), ("mod", operator.mod, "%"),
    ("pow", operator.pow, "**"), ("matmul", operator.matmul, "@"), ("and_", operator.and_, "&"),
    ("or_", operator.or_, "|"), ("xor", operator.xor, "^"), ("lshift", operator.lshift, "<<"),
    ("rshift", operator.rshift, ">>"), ("neg", operator.neg, "-"), ("pos", operator.pos, "+"),
    ("invert", operator.invert, "~"), ("lt", operator.lt, "<"), ("le", operator.le, "<="), ("gt", operator.gt, ">"),
    ("ge", operator.ge, ">="), ("eq", operator.eq, "=="), ("ne", operator.ne, "!="),
    ("not_", operator.not_, "not"), ("bool", bool, "bool"), ("is_", operator.is_, "is"),
    ("is_not", operator.is_not, "is not"), ("in_", lambda item, within: item in within, "in"),
    ("not_in", lambda item, within: item not in within, "not in"), ("getattr", getattr, "."),
    ("setattr", setattr, ".="), ("getitem", operator.getitem, "[]"), ("setitem", _setitem, "[]="),
    ("sequence", _sequence, "for"), ("length", len, "len"), ("item", _item, "for"),
    ("put_back", _setitem, "[]="), ("unpack", _unpack, "="), ("slice", slice, "[:]"), ("change", _change, "()"),
    ("add_to", _add_to, "+="), ("iterator", lambda items: items, "for"),
    ("multiply_by", operator.mul, "*="), ("as_tuple", tuple, "*"),
    ("join", lambda *parts: "".join(parts), "f''"),
    ("format", _format, "f''"), ("merge", lambda *parts: {k: v for part in parts for k, v in part.items()}, "**"),
    ("print", lambda *items: print(*items), "print"),  # noqa: T201
    ("captures", lambda function, *names: function, "lambda"), ("rebinds", lambda name, value: None, "="),
    ("delete", lambda value: None, "del"),
    ("call_with", _call_with, "()"), ("raise", _raise, "raise"), ("assert", _check, "assert"),
)  # fmt: skip

ALL: Final = {name: PythonOp(name, run, symbol) for name, run, symbol in _TABLE}
COMPARISONS: Final = frozenset({"lt", "le", "gt", "ge", "eq", "ne", "not_", "bool", "is_", "is_not", "in_", "not_in"})


def op(name: str) -> PythonOp:
    """The operator with a name."""
    return ALL[name]


def printing(options: dict[str, Any]) -> PythonOp:
    """`print` with options: `sep`, `end`, `flush`."""
    return PythonOp("print", functools.partial(print, **options), attrs=options)
