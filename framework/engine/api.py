"""Compiled functions: what a call compiles, what it is kept for, and how it runs.

`Compiled` is what `ms.jit` makes; a Cell that is called in graph mode has one as well (`run_cell`). A program is kept
for the types of its tensors, the values of its other arguments, and whatever it took from its surroundings: where one
of those has changed, the next call compiles anew.
"""

from __future__ import annotations

import functools
import inspect
import logging
import types
import weakref
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from framework.ad import expand  # noqa: F401, what gradients mean within compiled functions
from framework.common import device
from framework.engine.arguments import abstract_of_argument, data_of, difference, fitted, key_of, wrapped
from framework.engine.budget import check_budget
from framework.engine.emit import Executable, compile_program
from framework.engine.entry import MISS, entry_of
from framework.infer import builtins, specialize
from framework.infer.calls import Calls
from framework.infer.values import constant
from framework.ir.abstract import Abstract, known
from framework.ir.anf import FuncGraph, Node
from framework.opt.dump import Dump
from framework.opt.fusion_text import fusion_text
from framework.opt.pipeline import optimize
from framework.parse.function import deep
from framework.parse.reads import Read, fresh
from framework.pynative.gradient import is_recording
from framework.pynative.watched import is_watched, outermost

__all__ = ["Compiled", "CompiledProgram", "cell_programs", "run_cell", "set_dump"]

_dump_to: Callable[[], Path | None] = lambda: None  # noqa: E731


def set_dump(directory: Callable[[], Path | None]) -> None:
    """Say where programs are dumped after each pass; asked once for each compilation, None for nowhere."""
    global _dump_to
    _dump_to = directory


_log = logging.getLogger("framework")
KEPT = 4
"""So many programs of one signature are kept, and so many ways into programs are tried at once."""
OFTEN = 10
"""After so many compilations for the same reason a warning says what changes all the time."""


@dataclass(frozen=True)
class CompiledProgram:
    """A program for one signature.

    Attributes:
        root: its graph.
        executable: runs it.
        weights: the Parameters whose values it takes after its arguments.
        reads: what it took from its surroundings.
    """

    root: FuncGraph
    executable: Executable
    weights: tuple[Any, ...]
    reads: list[Read]

    @property
    def is_good(self) -> bool:
        """Whether all that it was compiled for, besides its arguments, is what it was."""
        weights = ((p.abstract, p.default) for p in self.root.parameters if p.default is not None)
        return fresh(self.reads) and all(known_as == abstract_of_argument(weight) for known_as, weight in weights)

    def __call__(self, arguments: Sequence[Any]) -> Any:
        """Run it on arrays."""
        return wrapped(self.executable(*arguments), self.root.output.abstract)


Entry = Callable[[tuple[Any, ...]], Any]


class Compiled:
    """A function that is compiled when it is called.

    Args:
        function: a Python function, or a Cell.
        input_signature: a tensor for each argument, whose shape may leave dimensions open: `Tensor(shape=[None, 3],
            dtype=float32)`. The function is compiled once for all arguments that fit; where something it does
            needs an open dimension, once for each length, with a warning that names the place.

    Attributes:
        compilations: how often it has been compiled.
        reasons: why it was, each time but the first.
        latest: the program that was compiled last; None before the first.
    """

    def __init__(self, function: Callable[..., Any], input_signature: Any = None) -> None:
        functools.update_wrapper(self, function, updated=())
        self.function = function
        self.compilations = 0
        self.reasons: list[str] = []
        self.latest: CompiledProgram | None = None
        self._signature: tuple[Abstract, ...] | None = None
        self._is_exact = False
        if input_signature is not None:
            wanted = input_signature if isinstance(input_signature, tuple | list) else (input_signature,)
            self._signature = tuple(map(abstract_of_argument, wanted))
        self._programs: dict[Any, list[CompiledProgram]] = {}
        #: The ways into the programs that ran last, the latest first.
        self._entries: list[Entry] = []
        self._entry_of: dict[int, Entry | None] = {}
        self._latest: tuple[Any, ...] = ()
        self._changes: Counter[str] = Counter()

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run it; while a gradient is being taken in PyNative mode line by line, so that the tape sees everything."""
        if is_recording():
            return self.plain(*args, **kwargs)
        if not kwargs:
            for entry in self._entries:
                out = entry(args)
                if out is not MISS:
                    return out
        given = self._arguments(args, kwargs)
        arguments = [data_of(item) for item, abstract in given if not known(abstract)]
        return self.compile(*args, **kwargs)(arguments)

    def row(self) -> Callable[..., Any]:
        """A function for calls in a row, between which nothing changes but arguments: the first one looks at all."""
        known: list[Any] = []

        def call(*args: Any) -> Any:
            if known:
                out = known[0](args)
                if out is not MISS:
                    return out
            for entry in () if is_recording() else self._entries:
                out = entry(args)
                if out is not MISS:
                    known[:] = [entry.again]  # type: ignore[attr-defined]
                    return out
            return self(*args)

        return call

    def _arguments(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[tuple[Any, Abstract]]:
        """The arguments, each with what a program knows of it."""
        abstracts = [abstract_of_argument(item) for item in (*args, *kwargs.values())]
        if self._signature is not None:
            title = getattr(self.function, "__name__", "the function")
            if len(self._signature) != len(abstracts):
                raise TypeError(
                    f"{title} has an input_signature of {len(self._signature)} arguments and is called with "
                    f"{len(abstracts)}: give the signature one tensor for each argument"
                )
            pairs = enumerate(zip(abstracts, self._signature, strict=True), 1)
            open_ = [fitted(number, one, wanted, title) for number, (one, wanted) in pairs]
            abstracts = abstracts if self._is_exact else open_
        return list(zip((*args, *kwargs.values()), abstracts, strict=True))

    def plain(self, *args: Any, **kwargs: Any) -> Any:
        """Run it line by line, as it stands."""
        if is_watched():
            with outermost(self.function):
                return _plain(self.function)(*args, **kwargs)
        return _plain(self.function)(*args, **kwargs)

    def compile(self, *args: Any, **kwargs: Any) -> CompiledProgram:
        """The program for these arguments: one that is kept, or a new one."""
        given = self._arguments(args, kwargs)
        keys = tuple(map(key_of, args)) if self._signature is None else tuple(abstract for _, abstract in given)
        signature = (device.array_module(), keys, tuple((k, key_of(v)) for k, v in kwargs.items()))
        programs = self._programs.setdefault(signature, [])
        found = next((program for program in programs if program.is_good), None)
        if found is None:
            self._note(keys, programs)
            try:
                found = self._compiled(given[: len(args)], dict(zip(kwargs, given[len(args) :], strict=True)))
            except Exception as error:
                if self._signature is None or self._is_exact:
                    raise
                return self._by_length(error, args, kwargs)
            self._entry_of[id(found)] = None if kwargs else entry_of(found, given, wrapped)
            for dropped in programs[KEPT - 1 :]:
                self._entry_of.pop(id(dropped), None)
            programs[:] = [found, *programs[: KEPT - 1]]
        entry = self._entry_of[id(found)]
        if entry is not None:
            self._entries = [entry, *(other for other in self._entries if other is not entry)][:KEPT]
        return found

    def _by_length(self, error: Exception, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> CompiledProgram:
        """The program for these lengths: what the function does with open dimensions needs to know them."""
        self._is_exact = True
        try:
            found = self.compile(*args, **kwargs)
        except Exception:
            self._is_exact = False
            raise
        title = getattr(self.function, "__name__", type(self.function).__name__)
        _log.warning(
            "%s is compiled once for each length, since what it does needs the dimensions that its input_signature "
            "leaves open: %s",
            title, error,
        )  # fmt: skip
        return found

    def _note(self, keys: tuple[Any, ...], programs: Sequence[CompiledProgram]) -> None:
        """Note why the function is compiled once more; say so where that happens often."""
        latest, self._latest = self._latest, keys
        if not self.compilations:
            return
        if programs:
            read = next((read for read in programs[0].reads if not read.unchanged), None)
            what, reason = "parameter", "a parameter has another shape or element type"
            if read is not None:
                what, reason = read.what, f"'{read.what}', {read.kind}, is {read.current!r} and was {read.value!r}"
        else:
            reason = difference(latest, keys)
            what = reason.partition(" is ")[0]
        title = getattr(self.function, "__name__", type(self.function).__name__)
        self.reasons.append(reason)
        _log.info("%s is compiled again, for the %d. time: %s", title, self.compilations + 1, reason)
        self._changes[what] += 1
        if self._changes[what] == OFTEN:
            _log.warning(
                "%s has been compiled %d times because of '%s' (%s), which takes longer than calling it: pass what "
                "changes as a tensor, or give the function an input_signature with None for dimensions that change",
                title, OFTEN, what, reason,
            )  # fmt: skip

    def _compiled(
        self, args: Sequence[tuple[Any, Abstract]], kwargs: Mapping[str, tuple[Any, Abstract]]
    ) -> CompiledProgram:
        self.compilations += 1
        named = {name: abstract for name, (_, abstract) in kwargs.items()}
        program = specialize(self.function, [abstract for _, abstract in args], named)
        _name_parameters(self.function, program.root, args)
        directory = _dump_to()
        dump = Dump(directory / program.root.name) if directory is not None else None
        with deep():
            if dump is not None:
                dump("infer", program.root)
            optimize(program.root, after=dump)
            executable = compile_program(program.root, device.array_module())
            if dump is not None:
                dump("plan", executable.program)
                dump.text("fusion.txt", fusion_text(program.root))
                dump.text("code.py", executable.source)
                dump.text("memory.txt", str(executable.memory))
        weights = tuple(p.default for p in program.root.parameters if p.default is not None)
        check_budget(program.root.name, executable.memory, weights)
        self.latest = CompiledProgram(program.root, executable, weights, program.reads)
        return self.latest


@builtins.register_kind(Compiled)
def _inner(calls: Calls, callee: Compiled, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return calls.call(constant(callee.function), arguments, named)


def run_cell(cell: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Run a Cell compiled: what `nn.Cell` does with a call in graph mode.

    Args:
        cell: the Cell.
        args: what it is called with.
        kwargs: by name.
    """
    if is_recording():
        return cell._run(args, kwargs)
    return cell_programs(cell)(*args, **kwargs)


def row_of_cell(cell: Any) -> Any:
    """For calls of a Cell in a row, between which nothing changes but the arguments: what to call."""
    return cell_programs(cell).row()


def cell_programs(cell: Any) -> Compiled:
    """What a Cell is compiled to; the Cell keeps it."""
    made: Compiled | None = cell.__dict__.get("_programs")
    if made is None:
        signature = getattr(cell, "input_signature", None)
        made = cell.__dict__["_programs"] = _CellPrograms(_ByReference(cell), signature)
    return made


class _CellPrograms(Compiled):
    """What a Cell is compiled to; a copy of the Cell begins without."""

    def __reduce__(self) -> Any:
        return type(None), ()


class _ByReference:
    """A Cell that its compiled form does not keep alive."""

    def __init__(self, cell: Any) -> None:
        self._cell = weakref.ref(cell)
        self.__name__ = type(cell).__name__
        self.__doc__ = cell.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the Cell."""
        return self.cell(*args, **kwargs)

    @property
    def function(self) -> Any:
        """The Cell."""
        return self.cell

    @property
    def cell(self) -> Any:
        """The Cell."""
        cell = self._cell()
        if cell is None:
            raise ReferenceError("the Cell is gone")
        return cell


@builtins.register_kind(_ByReference)
def _referred(calls: Calls, callee: _ByReference, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return calls.call(constant(callee.cell), arguments, named)


def _plain(function: Any) -> Any:
    return function.cell._run if isinstance(function, _ByReference) else function


def _name_parameters(function: Any, root: FuncGraph, args: Sequence[tuple[Any, Abstract]]) -> None:
    """Call the program's parameters what the function calls them."""
    inner = _plain(function)
    target = getattr(inner, "__self__", inner)
    construct = getattr(target, "construct", None) or inner
    try:
        names = _argument_names(inspect.signature(construct), len(args))
    except (TypeError, ValueError):
        return
    given = [name for name, (_, abstract) in zip(names, args, strict=False) if not known(abstract)]
    for parameter, name in zip(root.parameters, given, strict=False):
        if parameter.default is None:
            parameter.name = name


def _argument_names(signature: inspect.Signature, count: int) -> list[str]:
    """What the first arguments are called; those of `*inputs` inputs0, inputs1 and so on, as MindSpore calls them."""
    names: list[str] = []
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            return names + [f"{name}{place}" for place in range(count - len(names))]
        names.append(name)
    return names
