"""Dynamic shapes: decides when to compile one program for tensors of any length.

A program for known shapes runs fastest, but each new batch size costs a compilation. So the first lengths of a leading
dimension get static programs, one each. The third length compiles a dynamic program, which leaves the dimension open
and serves all later lengths. It has no memory plan and no native code, so a call takes longer. A length that occurs
often gets a static program after all. Tensors inside tuples, lists and dictionaries count too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from framework.engine.call.guards import MISS, Entry, GuardedRun
from framework.ir.abstract import Abstract, AbstractDict, AbstractTensor, AbstractTuple, known

__all__ = ["SPECIALIZE_AFTER", "STATIC_PROGRAMS", "DynamicCall", "DynamicShapes"]

STATIC_PROGRAMS = 2
"""How many lengths get static programs before a dynamic one is compiled."""
SPECIALIZE_AFTER = 400
"""The number of calls after which a length gets a static program: their extra time is about that of a compilation."""

Lengths = tuple[int, ...]
"""The leading dimensions of all tensors among the arguments of a call, in order."""


@dataclass
class _CallHistory:
    """The calls of a function that differ only in the lengths of their tensors.

    Attributes:
        static_lengths: the first lengths, which have static programs.
        runs: how often the dynamic program ran, by lengths.
        static: lengths for which the dynamic program cannot run.
        is_static: whether no dynamic program can be compiled.
    """

    static_lengths: list[Lengths] = field(default_factory=list)
    runs: dict[Lengths, int] = field(default_factory=dict)
    static: set[Lengths] = field(default_factory=set)
    is_static: bool = False

    def is_excluded(self, lengths: Lengths) -> bool:
        """Whether the dynamic program cannot serve these lengths, or served them so often that a static one pays."""
        return self.is_static or lengths in self.static or self.runs.get(lengths, 0) >= SPECIALIZE_AFTER

    def varying(self, lengths: Lengths) -> list[bool] | None:
        """Decide which lengths the dynamic program leaves open.

        A length of 0 or 1 always makes a call static, because length 1 broadcasts. So do two lengths that were equal in
        all earlier calls and now differ: that is most often a mistake, which the compiler reports.

        Returns:
            For each length whether it has varied; None if the call gets a static program.
        """
        columns = list(zip(*self.static_lengths, strict=True)) or [()] * len(lengths)
        if min(lengths) < 2 or _breaks_equality(lengths, columns):
            return None
        varies = [len(set(column)) > 1 for column in columns]
        fits = all(is_open or one in column for one, is_open, column in zip(lengths, varies, columns, strict=True))
        if lengths in self.static_lengths:
            return None
        if len(self.static_lengths) < STATIC_PROGRAMS or not fits:
            self.static_lengths.append(lengths)
            return None
        return varies


@dataclass(frozen=True)
class DynamicCall:
    """A call that a dynamic program serves.

    Attributes:
        abstracts: the abstract values of the arguments for the compiler, with open dimensions.
        key: the same for all calls that the program serves.
        lengths: the lengths of this call.
    """

    abstracts: tuple[Abstract, ...]
    key: Hashable
    lengths: Lengths
    _history: _CallHistory

    def not_compilable(self) -> None:
        """Record that no dynamic program can be compiled, because the function needs the lengths."""
        self._history.is_static = True

    def not_runnable(self) -> None:
        """Record that the program cannot run with these lengths."""
        self._history.static.add(self.lengths)

    def has_run(self) -> None:
        """Record that the program has run with these lengths."""
        self._history.runs[self.lengths] = self._history.runs.get(self.lengths, 0) + 1

    def guarded_entry(self, entry: Entry) -> Entry:
        """Restrict an entry of the program to lengths that it has run with, until they are due for a static program.

        A program with an entry takes no containers, so the tensors are arguments themselves.
        """
        places = [place for place, item in enumerate(self.abstracts) if _has_length(item)]
        runs = self._history.runs

        def guard(inner: GuardedRun) -> GuardedRun:
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

        return Entry(guard(entry.enter), guard(entry.again))


class DynamicShapes:
    """The history of all calls of one function."""

    def __init__(self) -> None:
        self._histories: defaultdict[Hashable, _CallHistory] = defaultdict(_CallHistory)

    def dynamic_call(
        self, kind: Hashable, keys: Sequence[Hashable], arguments: Sequence[Abstract]
    ) -> DynamicCall | None:
        """Decide whether a dynamic program serves a call, and note its lengths.

        Args:
            kind: what else the calls of one program have in common.
            keys: the cache keys of the arguments (`cache_key`).
            arguments: the abstract values of the arguments.

        Returns:
            The dynamic call; None if the call gets a static program.
        """
        lengths = _lengths_of(arguments)
        if lengths is None:
            return None
        keys_without_lengths = tuple(map(_key_without_lengths, arguments, keys))
        history = self._histories[kind, keys_without_lengths]
        varies = None if history.is_excluded(lengths) else history.varying(lengths)
        if varies is None:
            return None
        left = iter(varies)
        abstracts = tuple(_with_dynamic_lengths(item, left) for item in arguments)
        return DynamicCall(abstracts, (kind, keys_without_lengths, abstracts), lengths, history)


def _lengths_of(arguments: Sequence[Abstract]) -> Lengths | None:
    """The lengths of all tensors; None if there are none, or one is open."""
    leading = [item.shape[0] for argument in arguments for item in _tensors(argument)]
    lengths = tuple(length for length in leading if length is not None)
    return lengths if lengths and len(lengths) == len(leading) else None


def _breaks_equality(lengths: Sequence[int], columns: Sequence[tuple[int, ...]]) -> bool:
    """Whether two lengths differ that were equal in every earlier call."""
    return any(
        one != lengths[other]
        for place, one in enumerate(lengths)
        for other in range(place)
        if columns[place] and columns[other] == columns[place]
    )


def _tensors(item: Abstract) -> Iterator[AbstractTensor]:
    """The tensors with a length in an argument, in order."""
    if isinstance(item, AbstractTuple | AbstractDict):
        for element in item.elements:
            yield from _tensors(element)
    elif isinstance(item, AbstractTensor) and _has_length(item):
        yield item


def _with_dynamic_lengths(item: Abstract, varies: Iterator[bool]) -> Abstract:
    """An argument with open dimensions for the lengths that vary."""
    if isinstance(item, AbstractTuple | AbstractDict):
        return replace(item, elements=tuple(_with_dynamic_lengths(element, varies) for element in item.elements))
    if isinstance(item, AbstractTensor) and _has_length(item) and next(varies):
        return replace(item, shape=(None, *item.shape[1:]))
    return item


def _key_without_lengths(item: Abstract, key: Hashable) -> Hashable:
    """The cache key of an argument without the lengths of its tensors."""
    if isinstance(item, AbstractTensor) and _has_length(item):
        return item.shape[1:], item.dtype
    if isinstance(item, AbstractTuple):
        assert isinstance(key, tuple)  # noqa: S101, as `cache_key` makes it
        return key[0], tuple(map(_key_without_lengths, item.elements, key[1]))
    if isinstance(item, AbstractDict):
        assert isinstance(key, tuple)  # noqa: S101, as `cache_key` makes it
        inner = [key for _, key in key[1]]
        return item.keys, tuple(map(_key_without_lengths, item.elements, inner))
    return key


def _has_length(item: Abstract) -> bool:
    return isinstance(item, AbstractTensor) and bool(item.shape) and not known(item)
