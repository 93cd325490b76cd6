"""Compiles an optimized program to Python: kernel calls in sequence, `if` for branches, `while` for loops.

Each function (`functions_and_blocks.py`) becomes a maker, which takes the captured values and returns the function.
Blocks with several predecessors are states of a loop over `at`. Values with a place in the memory plan
(`framework.engine.memory.plan`) are computed there. Every other value is released after its last use, so that its
memory is free for the next.

All makers are inside `instance`, which takes the arrays of the memory plan. A program that is called while it runs gets
another instance.
"""

from __future__ import annotations

import math
import operator
import re
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np

from framework.common.dtype import DType
from framework.common.holding import own
from framework.engine import native
from framework.engine.codegen.error_locations import with_location
from framework.engine.codegen.functions import FunctionCode
from framework.engine.codegen.functions_and_blocks import FunctionsAndBlocks, PythonFunction
from framework.engine.codegen.runtime import run
from framework.engine.codegen.taps import Reporter
from framework.engine.fusion.fused_programs import WARM_UP_CALLS, calls_before_fusion, run_late_passes
from framework.engine.memory.garbage_collection import trim_heap
from framework.engine.memory.plan import MemoryPlan
from framework.ir.abstract import AbstractTensor, Shape
from framework.ir.anf import CNode, FuncGraph, Node, Parameter, ValueNode
from framework.ir.operators import EMPTY_ENVIRON, in_kind_of
from framework.ir.text import graph_names
from framework.observe import counts_calls, is_watched, wanted
from framework.ops.primitive import Primitive
from framework.tracing import RECORDER, is_capturing, when_captured

__all__ = ["Executable", "compile_program"]

_LITERALS: Final = (type(None), bool, int, str, float)
"""The types whose values stand in the code as they are."""

MAX_TAPPED_VARIANTS = 4
"""The most variants of a program that are kept for observers of different operators."""


@dataclass(frozen=True)
class _Form:
    """A program as code.

    Attributes:
        file: the name of the code in tracebacks.
        nodes: by line number, the node that the line runs.
        instance: makes an instance.
        idle: the instances that are not running now. One that has failed is dropped.
    """

    file: str
    nodes: dict[int, CNode]
    instance: Callable[[], Callable[..., Any]]
    idle: list[Callable[..., Any]]


class Executable:
    """A compiled program.

    Args:
        root: the outermost graph of the program.
        xp: the array module that kernels compute with.
        reporter: the tap; None for a program that is not observed.
        reuse: as in `compile_program`. If the tap reports all operators, values share no memory.

    Attributes:
        program: the graph that runs: `root`, or a copy after the late passes.
        source: the Python code.
        memory: the memory plan.
        segments: its native segments.
    """

    def __init__(self, root: FuncGraph, xp: Any, reporter: Reporter | None = None, *, reuse: bool = True) -> None:
        self._root, self._xp, self._reporter, self._reuse = root, xp, reporter, reuse
        #: The variants with taps that were used last, by the names of the operators that they report.
        self._tapped_variants: dict[frozenset[str] | None, Executable] = {}
        is_own = reuse and reporter is None
        #: How many calls run without generated kernels; None if there will be none.
        self._calls_before_fusion = calls_before_fusion(root, xp) if is_own else None
        self._is_fused = self._is_tiered_up = self._calls_before_fusion == 0
        #: How many calls remain until the program is compiled again, with native segments; 0 if none.
        self._calls_to_tier_up = WARM_UP_CALLS if is_own and xp is np else 0
        self._captured: _Form | None = None
        self._compile(run_late_passes(root) if self._is_fused else root)
        if reporter is None:
            _executables.add(self)

    def _compile_tapped(self, names: frozenset[str] | None) -> Executable:
        """A variant with a tap. If the program has tiered up, the variant computes with the same kernels."""
        root = self._root
        if self._is_tiered_up:
            root = run_late_passes(root, Reporter(root, names).is_tapped, kernels=self._is_fused)
        return Executable(root, self._xp, Reporter(root, names), reuse=self._reuse)

    def _tier_up(self) -> None:
        """Compile the program in its final form: after the late passes, with native segments."""
        self._is_fused, self._is_tiered_up = self._calls_before_fusion is not None, True
        self._compile(run_late_passes(self._root, kernels=self._is_fused), is_native=native.is_on())
        trim_heap()

    def _compile(self, root: FuncGraph, *, is_native: bool = False) -> None:
        """Write the code of a program, which runs from now on."""
        reporter, xp, reuse = self._reporter, self._xp, self._reuse
        self.program, self._is_native = root, is_native
        reuse = reuse and (reporter is None or reporter.names is not None)
        writer = ProgramCode(root, xp, reporter, reuse=reuse, is_native=is_native)
        self.source = writer.source()
        self.memory, self.segments = writer.memory, tuple(writer.segments)
        self._own = self._form = _form(writer, self.source, f"<graph {root.name}>")
        self._captured = None
        if reporter is None and is_capturing():
            self.capture()

    def capture(self) -> None:
        """Run from now on with clock reads around each kernel; all else stays as it is (`framework.tracing`)."""
        if self._captured is None:
            began, first = time.perf_counter_ns(), len(RECORDER.sites)
            writer = ProgramCode(
                self.program, self._xp, None, reuse=self._reuse, is_native=self._is_native, captured=True
            )
            made = _form(writer, writer.source(), f"<captured graph {self.program.name}>")
            site = RECORDER.site("program", self.program.name, (weakref.ref(self),))
            weakref.finalize(self, RECORDER.forget, range(first, site + 1)).atexit = False
            self._captured = _Form(made.file, made.nodes, lambda: _noted(made.instance(), site), [])
            of_compilation = RECORDER.known_site("compile", "compilation of the captured form")
            RECORDER.slices.append((of_compilation, began, time.perf_counter_ns(), threading.get_ident()))
        self._form = self._captured

    def release(self) -> None:
        """Run without clock reads again."""
        self._form = self._own
        if self._captured is not None:
            self._captured.idle.clear()

    @property
    def has_run(self) -> bool:
        """Whether an instance of it has run and is idle."""
        return bool(self._own.idle)

    def __call__(self, *arguments: object) -> Any:
        """Run it on arrays and Python values, one for each parameter of the program that is not a Parameter of a
        Cell."""
        if self._calls_to_tier_up and counts_calls():
            self._calls_to_tier_up -= 1
            if not self._calls_to_tier_up:
                self._tier_up()
                self._tapped_variants.clear()
        if is_watched() and self._reporter is None:
            return self.tapped(wanted())(*arguments)
        form = self._form
        try:
            function = form.idle.pop()
        except IndexError:
            function = form.instance()
        try:
            value = run(function, arguments)
        except Exception as error:
            found = with_location(error, form.file, form.nodes)
            if found is error:
                raise
            raise found from error
        form.idle.append(function)
        return value

    def tapped(self, names: frozenset[str] | None = None) -> Executable:
        """The variant of the program that reports primitives to observers (`framework.observe`).

        Args:
            names: the full names of the operators that it reports; None for all.
        """
        variant = self._tapped_variants.pop(names, None)
        if variant is None:
            variant = self._compile_tapped(names)
            for dropped in list(self._tapped_variants)[: 1 - MAX_TAPPED_VARIANTS]:
                del self._tapped_variants[dropped]
        self._tapped_variants[names] = variant
        if variant._reporter is not None:
            variant._reporter.begin()
        return variant


def compile_program(root: FuncGraph, xp: Any = np, *, reuse: bool = True) -> Executable:
    """Compile a program.

    Args:
        root: the outermost graph of the program, after inference and optimization.
        xp: the array module that kernels compute with, numpy or cupy.
        reuse: whether values share memory and overwrite Parameters; else each value gets memory of its own.
    """
    return Executable(root, xp, reuse=reuse)


class ProgramCode:
    """Writes the code of a program.

    Attributes:
        scope: the objects that the code names.
        is_native: whether the code has native segments.
        segments: these segments, as they are numbered in the code.
        held: the Parameters whose arrays the code holds while it runs.
        nodes: by line number of the code, the node that the line runs.
        structure: the functions of the program and their blocks.
        names: the variables of nodes.
        captured: whether the code notes when each kernel runs.
    """

    def __init__(
        self,
        root: FuncGraph,
        xp: Any,
        reporter: Reporter | None,
        *,
        reuse: bool,
        is_native: bool = False,
        captured: bool = False,
    ) -> None:
        self.root = root
        self.captured = captured
        self.is_native = is_native
        #: The function that is being written.
        self._function: PythonFunction | None = None
        self.segments: list[native.Segment] = []
        self.held: set[Node] = set()
        self.reporter = reporter
        self.nodes: dict[int, CNode] = {}
        self.reuse = reuse
        self.memory = MemoryPlan()
        #: The names of arrays in the memory plan, by place, shape and element type.
        self._views: dict[tuple[int, Shape, DType], str] = {}
        self.structure = FunctionsAndBlocks(root)
        self.manager = self.structure.manager
        self.xp = xp
        self.scope: dict[str, Any] = {"xp": xp, "as_array": xp.asarray, "empty": xp.empty, "own": own}
        if captured:
            self.scope |= {
                "clock": time.perf_counter_ns, "note": RECORDER.slices.append, "thread": threading.get_ident,
            }  # fmt: skip
        self.graph_names = names = graph_names(self.manager)
        self.makers = {entry: f"make_{names[entry].replace('.', '_')}" for entry in self.structure.functions}
        self._constants: dict[int, str] = {}
        self._alive_constants: list[object] = []
        self.names: dict[Node, str] = {}
        # Each access makes a new bound method, which would get a new name.
        self._record: Callable[..., None] | None = None

    def name(self, node: Node) -> str:
        """The variable that holds a node's value."""
        if node not in self.names:
            prefix = "p" if isinstance(node, Parameter) else "v"
            self.names[node] = f"{prefix}{len(self.names)}"
        return self.names[node]

    def constant(self, value: object) -> str:
        """A constant as a Python literal, or its name in the code."""
        # Numbers of numpy, for one, are ints and floats, but their texts are no literals.
        is_literal = type(value) in _LITERALS and (type(value) is not float or math.isfinite(value))
        return repr(value) if is_literal else self._named(value)

    def functions(self, expression: str) -> str:
        """An expression in which functions of the array module, such as `xp.add.reduce`, have names of their own."""

        def named(found: re.Match[str]) -> str:
            name = found[1].replace(".", "_")
            self.scope[name] = operator.attrgetter(found[1])(self.xp)
            return name

        return re.sub(r"\bxp\.([\w.]+)(?=\()", named, expression)

    def record(self) -> str:
        """The name of the function that reports a node to the tap."""
        if self._record is None:
            assert self.reporter is not None  # noqa: S101
            self._record = self.reporter.record
        return self.constant(self._record)

    def site(self, node: CNode) -> int | None:
        """The site of a kernel that Python calls, if a capture notes it; else None."""
        if not self.captured or not isinstance(node.operator, Primitive):
            return None
        return RECORDER.site("python kernel", node.operator.name, (node,))

    def _named(self, value: object) -> str:
        if id(value) not in self._constants:
            self._constants[id(value)] = name = f"c{len(self._constants)}"
            self.scope[name] = _runtime_value(value, self.xp)
            self._alive_constants.append(value)
        return self._constants[id(value)]

    def value(self, node: Node) -> str:
        """An expression for a node's value."""
        if not isinstance(node, ValueNode):
            return self.name(node)
        if isinstance(node.value, FuncGraph):
            function = self.structure.functions[node.value]
            if function is self._function:
                # The function itself: it has captured the same values.
                return "function"
            return f"{self.makers[node.value]}({', '.join(map(self.name, function.free_variables))})"
        return self.constant(node.value)

    def view(self, node: CNode) -> str:
        """The array in which a value of the memory plan is computed."""
        abstract = node.abstract
        assert isinstance(abstract, AbstractTensor)  # noqa: S101
        if not self.reuse:
            return f"empty({abstract.shape}, {self.constant(abstract.dtype.numpy)})"
        key = (self.memory.values[node].place.number, abstract.shape, abstract.dtype)
        return self._views.setdefault(key, f"b{len(self._views)}")

    def segment(self, segment: native.Segment) -> str:
        """The name of the function of a native segment."""
        self.segments.append(segment)
        return f"n{len(self.segments) - 1}"

    def arrays(self) -> list[Any]:
        """New arrays for one instance, in the order of its arguments."""
        needs_places = self._views or self.segments
        places = [self.xp.empty(place.nbytes, self.xp.uint8) for place in self.memory.places] if needs_places else []
        made = [
            places[place][: prod(dim or 0 for dim in shape) * dtype.itemsize].view(dtype.numpy).reshape(shape)
            for place, shape, dtype in self._views
        ]
        if self.segments:
            nbytes = max(segment.scratch_bytes for segment in self.segments)
            made.append(native.AddressTable.of([native.aligned(nbytes), *places]))
        return made

    def source(self) -> str:
        """The code of all functions, inside `instance`, which takes the arrays that they compute in."""
        lines = [""]
        for function in self.structure.functions.values():
            self._function = function
            code = FunctionCode(self, function)
            lines += (f"    {line}" for line in code.source().split("\n"))
            first = len(lines) - len(code.lines) + 1
            self.nodes.update((first + place, node) for place, node in code.nodes.items())
            lines.append("")
        table = ["table"] if self.segments else []
        lines[0] = f"def instance({', '.join([*self._views.values(), *table])}):"
        if self.segments:
            made = native.make_functions(self.segments, self.held, captured=self.captured)
            self.scope.update((f"n{number}", function) for number, function in enumerate(made))
        return "\n".join([*lines, f"    return {self.makers[self.root]}()", ""])


def _form(writer: ProgramCode, source: str, file: str) -> _Form:
    """The code of a writer, ready to run."""
    exec(compile(source, file, "exec"), writer.scope)  # noqa: S102
    instance = writer.scope["instance"]
    return _Form(file, writer.nodes, lambda: instance(*writer.arrays()), [])


def _noted(function: Callable[..., Any], site: int) -> Callable[..., Any]:
    """A function of a program that notes how long each call takes."""

    def noted(*arguments: object) -> Any:
        began = time.perf_counter_ns()
        try:
            return run(function, arguments)
        finally:
            RECORDER.slices.append((site, began, time.perf_counter_ns(), threading.get_ident()))

    return noted


#: All programs that run.
_executables: weakref.WeakSet[Executable] = weakref.WeakSet()


def _begin() -> None:
    if native.is_on():
        native.prepare_clock()
    for program in list(_executables):
        # One that has not run yet is compiled again when it does.
        program.capture()


def _end() -> None:
    for program in list(_executables):
        program.release()


when_captured(_begin, _end)


def _runtime_value(value: Any, xp: Any) -> object:
    """A constant as kernels get it: arrays for tensors, also in containers."""
    if hasattr(value, "_data") and hasattr(value, "asnumpy") and not hasattr(value, "requires_grad"):
        return value._data
    if isinstance(value, tuple | list):
        made: object = in_kind_of(value, [_runtime_value(item, xp) for item in value])
        return made
    if isinstance(value, dict) and value is not EMPTY_ENVIRON:
        return {key: _runtime_value(item, xp) for key, item in value.items()}
    return value
