"""Dynamic shapes: decides when to compile one program for tensors of any length.

A program for known shapes runs fastest, but each new batch size costs a compilation. So the first lengths of a leading
dimension get programs of their own. The third length compiles a program that leaves the dimension open and serves all
later ones. It has no memory plan and no native code, so a call takes longer; a length that occurs often gets its own
program after all. Tensors inside tuples, lists and dictionaries count too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from framework.engine.call.guards import MISS
from framework.ir.abstract import Abstract, AbstractDict, AbstractTensor, AbstractTuple, known

__all__ = ["SPECIALIZE_AFTER", "STATIC_PROGRAMS", "DynamicCall", "DynamicShapes"]

STATIC_PROGRAMS = 2
"""So many lengths have a program of their own before there is one for all."""
SPECIALIZE_AFTER = 400
"""After so many calls a length is worth a program of its own: so many take longer by about one compilation."""


@dataclass
class _CallHistory:
    """Calls that differ in lengths alone."""

    static_lengths: list[tuple[int, ...]] = field(default_factory=list)
    #: How often the open program ran with these lengths.
    runs: dict[tuple[int, ...], int] = field(default_factory=dict)
    #: Lengths, and whole kinds of calls, for which there is no open program.
    static: set[tuple[int, ...]] = field(default_factory=set)
    is_static: bool = False


@dataclass(frozen=True)
class DynamicCall:
    """A call that a program for any length serves.

    Attributes:
        abstracts: what the program knows of its arguments.
        key: of calls that the same program serves.
        lengths: the leading dimensions of this one.
    """

    abstracts: tuple[Abstract, ...]
    key: Any
    lengths: tuple[int, ...]
    _history: _CallHistory

    def not_compilable(self) -> None:
        """No program can be made: what the function does needs the lengths."""
        self._history.is_static = True

    def not_runnable(self) -> None:
        """The program cannot run with these lengths."""
        self._history.static.add(self.lengths)

    def has_run(self) -> None:
        """The program has run with these lengths."""
        self._history.runs[self.lengths] = self._history.runs.get(self.lengths, 0) + 1

    def guarded_entry(self, entry: Callable[[tuple[Any, ...]], Any]) -> Callable[[tuple[Any, ...]], Any]:
        """An entry of the program that takes the lengths it has run with, and not those that came often.

        A program with an entry has no arguments that hold others.
        """
        places = [place for place, item in enumerate(self.abstracts) if _has_length(item)]
        runs = self._history.runs

        def guard(inner: Callable[[tuple[Any, ...]], Any]) -> Callable[[tuple[Any, ...]], Any]:
            def enter(args: tuple[Any, ...]) -> Any:
                try:
                    lengths = tuple([args[place]._data.shape[0] for place in places])
                    count = runs[lengths]
                except (AttributeError, IndexError, KeyError):
                    return MISS
                if count >= SPECIALIZE_AFTER:
                    return MISS
                out = inner(args)
                if out is not MISS:
                    runs[lengths] = count + 1
                return out

            return enter

        made = guard(entry)
        made.again = guard(entry.again)  # type: ignore[attr-defined]
        return made


class DynamicShapes:
    """The lengths that a function was called with."""

    def __init__(self) -> None:
        self._histories: defaultdict[Any, _CallHistory] = defaultdict(_CallHistory)

    def dynamic_call(self, kind: Any, keys: Sequence[Any], arguments: Sequence[Abstract]) -> DynamicCall | None:
        """What a program for any length would be for; None where this call gets a program of its own.

        Lengths of 0 and 1 always do: in a tensor of length 1 rows are repeated. So do lengths that were equal in all
        calls and are not in this one, which is most often a mistake that the compiler finds.

        Args:
            kind: what else the calls have in common.
            keys: of the arguments, as `cache_key` makes them.
            arguments: what is known of them.
        """
        leading = [item.shape[0] for argument in arguments for item in _tensors(argument)]
        lengths = tuple(length for length in leading if length is not None)
        if not lengths or len(lengths) < len(leading):
            return None
        keys_without_lengths = tuple(map(_key_without_lengths, arguments, keys))
        history = self._histories[kind, keys_without_lengths]
        if history.is_static or lengths in history.static or history.runs.get(lengths, 0) >= SPECIALIZE_AFTER:
            return None
        columns = list(zip(*history.static_lengths, strict=True)) or [()] * len(lengths)
        if min(lengths) < 2 or _breaks_equality(lengths, columns):
            return None
        varies = [len(set(column)) > 1 for column in columns]
        fits = all(is_open or one in column for one, is_open, column in zip(lengths, varies, columns, strict=True))
        if len(history.static_lengths) < STATIC_PROGRAMS or not fits:
            if lengths not in history.static_lengths:
                history.static_lengths.append(lengths)
            return None
        if lengths in history.static_lengths:
            return None
        left = iter(varies)
        dynamic_abstracts = tuple(_with_dynamic_lengths(item, left) for item in arguments)
        return DynamicCall(dynamic_abstracts, (kind, keys_without_lengths, dynamic_abstracts), lengths, history)


def _breaks_equality(lengths: Sequence[int], columns: Sequence[tuple[int, ...]]) -> bool:
    """Whether two lengths differ that were the same in every call before."""
    return any(
        one != lengths[other]
        for place, one in enumerate(lengths)
        for other in range(place)
        if columns[place] and columns[other] == columns[place]
    )


def _tensors(item: Abstract) -> Iterator[AbstractTensor]:
    """The tensors in an argument that have a length, in order."""
    if isinstance(item, AbstractTuple | AbstractDict):
        for element in item.elements:
            yield from _tensors(element)
    elif isinstance(item, AbstractTensor) and _has_length(item):
        yield item


def _with_dynamic_lengths(item: Abstract, varies: Iterator[bool]) -> Abstract:
    """The same argument without the lengths that vary."""
    if isinstance(item, AbstractTuple | AbstractDict):
        return replace(item, elements=tuple(_with_dynamic_lengths(element, varies) for element in item.elements))
    if isinstance(item, AbstractTensor) and _has_length(item) and next(varies):
        return replace(item, shape=(None, *item.shape[1:]))
    return item


def _key_without_lengths(item: Abstract, key: Any) -> Any:
    """The key of an argument without the lengths of its tensors."""
    if isinstance(item, AbstractTensor) and _has_length(item):
        return item.shape[1:], item.dtype
    if isinstance(item, AbstractTuple):
        return key[0], tuple(map(_key_without_lengths, item.elements, key[1]))
    if isinstance(item, AbstractDict):
        inner = [key for _, key in key[1]]
        return item.keys, tuple(map(_key_without_lengths, item.elements, inner))
    return key


def _has_length(item: Abstract) -> bool:
    return isinstance(item, AbstractTensor) and bool(item.shape) and not known(item)
