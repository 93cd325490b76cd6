"""Compiled functions: finds the program for a call, and compiles one if there is none.

`ms.jit` makes a `Compiled`. So does the first call of a Cell in graph mode (`cells.py`). A program is valid for the
types of its tensors, the values of its other arguments, and everything that it read from outside. If one of these
changes, the next call compiles again. Leading dimensions are the exception (`dynamic_shapes.py`).
"""

from __future__ import annotations

import functools
import logging
import types
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from framework import context
from framework.common import device
from framework.common.plain import PLAIN
from framework.engine.arguments import (
    abstract_of_argument,
    cache_key,
    difference,
    kernel_value,
    match_signature,
    user_value,
)
from framework.engine.call.dynamic_shapes import DynamicCall, DynamicShapes
from framework.engine.call.guards import MISS, Entry, GuardedRun, guarded_entry
from framework.engine.call.own_weights import OwnWeights, check_names
from framework.engine.compiler import CompiledProgram, program_of
from framework.infer.evaluators.inference import Inference
from framework.infer.evaluators.registry import register_kind
from framework.infer.values import constant
from framework.ir.abstract import Abstract, known
from framework.ir.anf import Location, Node
from framework.ir.errors import GraphError
from framework.pynative.gradient import in_place_of_compiled, is_recording
from framework.pynative.taps import is_watched, outermost

__all__ = ["Compiled"]

_log = logging.getLogger("framework")
MAX_PROGRAMS = 4
"""The most programs that are kept for one signature, and the most entries that a call tries."""
WARN_AFTER = 3
"""The number of compilations for the same reason after which a warning names the reason."""

_told: set[Location | str] = set()
"""The lines for which a warning has told that a function runs line by line; a text where there is no line."""

Given = Sequence[tuple[object, Abstract]]
"""The arguments of a call, each with its abstract value."""
Named = tuple[tuple[str, Hashable], ...]
"""The names of keyword arguments with their cache keys."""


class Compiled:
    """A function that is compiled when it is called.

    Args:
        function: a Python function, or a Cell.
        input_signature: a tensor for each argument, whose shape may leave dimensions open: `Tensor(shape=[None, 3],
            dtype=float32)`. The function is compiled once for all arguments that fit. If an operation needs an open
            dimension, it is compiled once for each length, and a warning names the place.
        static: whether each length of a leading dimension gets a program of its own, and none a dynamic one.
        strict: whether what only Python can run is refused. Otherwise such a function runs line by line.

    Attributes:
        compilations: how often it has been compiled.
        reasons: the reason of each compilation but the first.
        latest: the program that was compiled last; None before the first.
    """

    def __init__(
        self, function: Callable[..., Any], input_signature: object = None, static: bool = False, strict: bool = False
    ) -> None:
        functools.update_wrapper(self, function, updated=())
        self.function = function
        self.compilations = 0
        self.reasons: list[str] = []
        self.latest: CompiledProgram | None = None
        self._signature: tuple[Abstract, ...] | None = None
        self._is_static = False
        if input_signature is not None:
            declared = input_signature if isinstance(input_signature, tuple | list) else (input_signature,)
            self._signature = tuple(map(abstract_of_argument, declared))
        self._dynamic_shapes = None if PLAIN or static or input_signature is not None else DynamicShapes()
        self._programs: dict[Hashable, list[CompiledProgram]] = {}
        #: The entries of the programs that ran last, the latest first. A warm call tries these.
        self._entries: list[Entry] = []
        self._entry_of_program: dict[int, Entry | None] = {}
        self._latest: tuple[Hashable, ...] = ()
        self._changes: Counter[str] = Counter()
        self._strict = strict
        self._own_weights = OwnWeights()
        #: The signatures that run line by line.
        self._python_only: set[Hashable] = set()

    def __get__(self, instance: object, owner: type | None = None) -> Compiled | types.MethodType:
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Run it compiled. While PyNative mode records a gradient, run it line by line, so that the tape sees all."""
        if is_recording():
            with in_place_of_compiled():
                return self.plain(*args, **kwargs)
        if not kwargs:
            # The warm call. This is `_enter` inlined, because every call passes here.
            for entry in self._entries:
                out = entry.enter(args)
                if out is not MISS:
                    return out
        if self._python_only and self._runs_line_by_line(args, kwargs):
            return self._in_python(args, kwargs)
        given = self._arguments(args, kwargs)
        try:
            program, dynamic_call = self._found(given, args, kwargs)
            if self._own_weights.are_passed(program, args):
                given = self._arguments(args, kwargs)
                program, dynamic_call = self._found(given, args, kwargs)
        except GraphError as error:
            if self._own_weights.take(args):
                return self(*args, **kwargs)
            if not self._falls_back(error):
                raise
        else:
            arguments = [kernel_value(item) for item, abstract in given if not known(abstract)]
            return self._run(program, dynamic_call, arguments, args, kwargs)
        # Outside of the handler, so that an error of the function has no other one as its context.
        self._python_only.add(self._signature_of(args, kwargs))
        return self._in_python(args, kwargs)

    def _falls_back(self, error: GraphError) -> bool:
        """Whether Python runs the function because of this error; if so, a warning tells it."""
        if not error.python_only or self.is_strict:
            return False
        self._tell(error, f"{self._title} runs line by line, not compiled, because of this line")
        return True

    def _in_python(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> Any:
        """Run what only Python can run."""
        return self.plain(*args, **kwargs)

    def _signature_of(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> Hashable:
        """The properties by which calls get different programs."""
        key = self._own_weights.cache_key
        return tuple(map(key, args)), tuple((name, cache_key(value)) for name, value in kwargs.items())

    def _runs_line_by_line(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> bool:
        """Whether a call was found to need Python before. If all were, a new signature is not tried any more."""
        if self.is_strict:
            return False
        if self.latest is None and len(self._python_only) >= MAX_PROGRAMS:
            return True
        return self._signature_of(args, kwargs) in self._python_only

    @property
    def _title(self) -> str:
        """The name of the function for messages, or the class of a Cell."""
        name: str = getattr(self.function, "__name__", type(self.function).__name__)
        return name

    @property
    def is_strict(self) -> bool:
        """Whether what only Python can run is refused."""
        return self._strict or context.get_context("jit_syntax_level") == context.STRICT

    def _tell(self, error: GraphError, what: str) -> None:
        """Warn that Python runs the function or a part of it, once for each line that is the reason."""
        reason = error.location or f"{self._title}: {error.message}"
        if reason not in _told:
            _told.add(reason)
            _log.warning("%s: %s", what, error)

    def _run(
        self,
        program: CompiledProgram,
        dynamic_call: DynamicCall | None,
        arguments: Sequence[object],
        args: tuple[object, ...],
        kwargs: Mapping[str, object],
    ) -> Any:
        """Run a program; one for all lengths that fails is compiled for these."""
        if dynamic_call is None:
            return program(arguments)
        try:
            out = program(arguments)
        except Exception:
            # If the error is due to these lengths, the compiler reports it with the user's line.
            dynamic_call.not_runnable()
            static_program = self.compile(*args, **kwargs)
            if not program.is_pure:
                raise
            return static_program(arguments)
        dynamic_call.has_run()
        return out

    def consecutive(self) -> Callable[..., Any]:
        """A function for consecutive calls, between which nothing changes but the arguments.

        Its first call checks all guards, the later ones only those of the arguments.
        """
        return _ConsecutiveCalls(self).call

    def _enter(self, args: tuple[object, ...]) -> tuple[Any, Entry | None]:
        """The result of the first entry whose guards hold, and that entry; `MISS` and None if there is none."""
        for entry in self._entries:
            out = entry.enter(args)
            if out is not MISS:
                return out, entry
        return MISS, None

    def _arguments(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> list[tuple[object, Abstract]]:
        """The arguments, each with its abstract value."""
        abstracts = [self._own_weights.abstract_of(item) for item in (*args, *kwargs.values())]
        if self._signature is not None:
            title = getattr(self.function, "__name__", "the function")
            if len(self._signature) != len(abstracts):
                raise TypeError(
                    f"{title} has an input_signature of {len(self._signature)} arguments and is called with "
                    f"{len(abstracts)}: give the signature one tensor for each argument"
                )
            pairs = enumerate(zip(abstracts, self._signature, strict=True), 1)
            matched = [match_signature(number, one, declared, title) for number, (one, declared) in pairs]
            abstracts = abstracts if self._is_static else matched
        return list(zip((*args, *kwargs.values()), abstracts, strict=True))

    def plain(self, *args: object, **kwargs: object) -> Any:
        """Run it line by line, without compiling it."""
        if is_watched():
            with outermost(self.function):
                return self._python_function(*args, **kwargs)
        return self._python_function(*args, **kwargs)

    def compile(self, *args: object, **kwargs: object) -> CompiledProgram:
        """The program for these arguments: a cached one, or a new one."""
        return self._found(self._arguments(args, kwargs), args, kwargs)[0]

    def _found(
        self, given: Given, args: tuple[object, ...], kwargs: Mapping[str, object]
    ) -> tuple[CompiledProgram, DynamicCall | None]:
        """The program for these arguments, and the dynamic call that it serves if its shapes are dynamic."""
        key = self._own_weights.cache_key
        keys = tuple(map(key, args)) if self._signature is None else tuple(abstract for _, abstract in given)
        named = tuple((k, cache_key(v)) for k, v in kwargs.items())
        found, programs, dynamic_call = self._look_up(given, keys, named)
        if found is None:
            self._log_reason(keys, programs)
            abstracts = [abstract for _, abstract in given] if dynamic_call is None else dynamic_call.abstracts
            try:
                found = self._compile(abstracts[: len(args)], dict(zip(kwargs, abstracts[len(args) :], strict=True)))
            except Exception as error:
                return self._fall_back(error, dynamic_call, given, args, kwargs)
            check_names((*(item for item, _ in given), *found.weights), self._title)
            known_as = [(item, abstract) for (item, _), abstract in zip(given, abstracts, strict=True)]
            self._remember(found, programs, None if PLAIN or kwargs else self._entry_of(found, known_as), dynamic_call)
        entry = self._entry_of_program[id(found)]
        if entry is not None:
            self._entries = [entry, *(other for other in self._entries if other is not entry)][:MAX_PROGRAMS]
        return found, dynamic_call

    def _entry_of(self, program: CompiledProgram, arguments: Given) -> Entry | None:
        """The entry of a program for warm calls; None if only the general check finds it."""
        return guarded_entry(program, arguments, user_value)

    def _look_up(
        self, given: Given, keys: tuple[Hashable, ...], named: Named
    ) -> tuple[CompiledProgram | None, list[CompiledProgram], DynamicCall | None]:
        """The cached program that is still valid, the programs cached beside it, and the dynamic call, if it is one."""
        programs = self._programs.setdefault((device.array_module(), keys, named), [])
        found = next((program for program in programs if program.is_good), None)
        dynamic_call = self._dynamic_call(given, keys, named) if found is None else None
        if dynamic_call is not None:
            programs = self._programs.setdefault((device.array_module(), dynamic_call.key), [])
            found = next((program for program in programs if program.is_good), None)
        return found, programs, dynamic_call

    def _fall_back(
        self,
        error: Exception,
        dynamic_call: DynamicCall | None,
        given: Given,
        args: tuple[object, ...],
        kwargs: Mapping[str, object],
    ) -> tuple[CompiledProgram, DynamicCall | None]:
        """A program for exactly these shapes, after an error that dynamic shapes may have caused."""
        if dynamic_call is not None:
            dynamic_call.not_compilable()
            return self._found(given, args, kwargs)
        if self._signature is None or self._is_static:
            raise error
        return self._compile_statically(error, args, kwargs), None

    def _remember(
        self,
        program: CompiledProgram,
        programs: list[CompiledProgram],
        entry: Entry | None,
        dynamic_call: DynamicCall | None,
    ) -> None:
        """Cache a program with its guarded entry, and drop the oldest one of the same key."""
        if entry is not None and dynamic_call is not None:
            entry = dynamic_call.guarded_entry(entry)
        self._entry_of_program[id(program)] = entry
        for dropped in programs[MAX_PROGRAMS - 1 :]:
            self._entry_of_program.pop(id(dropped), None)
        programs[:] = [program, *programs[: MAX_PROGRAMS - 1]]

    def _dynamic_call(self, given: Given, keys: tuple[Hashable, ...], named: Named) -> DynamicCall | None:
        """The call as a dynamic one; None if it gets a static program."""
        if self._dynamic_shapes is None:
            return None
        kind = (device.array_module(), tuple(name for name, _ in named))
        return self._dynamic_shapes.dynamic_call(
            kind, (*keys, *(key for _, key in named)), [abstract for _, abstract in given]
        )

    def _compile_statically(
        self, error: Exception, args: tuple[object, ...], kwargs: Mapping[str, object]
    ) -> CompiledProgram:
        """A program for exactly these lengths, since an operation needs a dimension that the signature leaves open."""
        self._is_static = True
        try:
            found = self.compile(*args, **kwargs)
        except Exception:
            self._is_static = False
            raise
        _log.warning(
            "%s is compiled once for each length, since what it does needs the dimensions that its input_signature "
            "leaves open: %s",
            self._title, error,
        )  # fmt: skip
        return found

    def _log_reason(self, keys: tuple[Hashable, ...], programs: Sequence[CompiledProgram]) -> None:
        """Record why the function is compiled again, and warn if the same reason recurs often."""
        latest, self._latest = self._latest, keys
        if self.latest is None:
            return
        if programs:
            read = next((read for read in programs[0].reads if not read.unchanged), None)
            advice = "keep it as it is between calls, or pass it as a tensor"
            what, reason = "parameter", "a parameter has another shape or element type"
            if read is not None:
                what, reason = read.what, f"'{read.what}', {read.kind}, is {read.current!r} and was {read.value!r}"
        else:
            reason = difference(latest, keys)
            what = reason.partition(" is ")[0]
            advice = (
                "pass what changes as a tensor, or give the function an input_signature with None for dimensions that "
                "change"
            )
        self.reasons.append(reason)
        _log.info("%s is compiled again, for the %d. time: %s", self._title, self.compilations + 1, reason)
        self._changes[what] += 1
        if self._changes[what] == WARN_AFTER:
            _log.warning(
                "%s has been compiled again %d times because of '%s' (%s), which takes longer than calling it: %s",
                self._title, WARN_AFTER, what, reason, advice,
            )  # fmt: skip

    @property
    def _python_function(self) -> Callable[..., Any]:
        """The function that runs line by line."""
        return self.function

    def _compile(self, args: Sequence[Abstract], kwargs: Mapping[str, Abstract]) -> CompiledProgram:
        self.compilations += 1
        self.latest = program_of(self.function, args, kwargs, self._python_function)
        return self.latest


class _ConsecutiveCalls:
    """Consecutive calls of a compiled function, between which nothing but the arguments changes.

    Attributes:
        again: the entry's check of the arguments alone, after a first call that checked everything; None before.
    """

    __slots__ = ("again", "compiled")

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.again: GuardedRun | None = None

    def call(self, *args: object) -> Any:
        """Run the function."""
        if self.again is not None:
            out = self.again(args)
            if out is not MISS:
                return out
        if not is_recording():
            out, entry = self.compiled._enter(args)
            if entry is not None:
                self.again = entry.again
                return out
        return self.compiled(*args)


@register_kind(Compiled)
def _inner(infer: Inference, callee: Compiled, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return infer.call(constant(callee.function), arguments, named)
