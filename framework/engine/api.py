"""Compiled functions: what a call compiles, what it is kept for, and how it runs.

`Compiled` is what `ms.jit` makes; a Cell that is called in graph mode has one as well (`run_cell`). A program is kept
for the types of its tensors, the values of its other arguments, and whatever it took from its surroundings: where one
of those has changed, the next call compiles anew.
"""

from __future__ import annotations

import functools
import inspect
import types
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from framework.ad import expand  # noqa: F401, what gradients mean within compiled functions
from framework.common import device
from framework.common.tensor import Tensor, from_array
from framework.engine.emit import Executable, compile_program
from framework.infer import builtins, specialize
from framework.infer.calls import Calls
from framework.infer.values import constant
from framework.ir.abstract import Abstract, AbstractConst, AbstractDict, AbstractTensor, AbstractTuple, known
from framework.ir.anf import FuncGraph, Node
from framework.ir.operators import abstract_of
from framework.opt.dump import Dump
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

    def __call__(self, arguments: Sequence[Any]) -> Any:
        """Run it on arrays."""
        output = self.executable(*arguments)
        return _wrapped(output, self.root.output.abstract)


class Compiled:
    """A function that is compiled when it is called.

    Args:
        function: a Python function, or a Cell.

    Attributes:
        compilations: how often it has been compiled.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.compilations = 0
        self._programs: dict[Any, list[CompiledProgram]] = {}

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run it; while a gradient is being taken in PyNative mode line by line, so that the tape sees everything."""
        if is_recording():
            return self.plain(*args, **kwargs)
        arguments = [_data(item) for item in (*args, *kwargs.values()) if not known(_abstract(item))]
        return self.compile(*args, **kwargs)(arguments)

    def plain(self, *args: Any, **kwargs: Any) -> Any:
        """Run it line by line, as it stands."""
        if is_watched():
            with outermost(self.function):
                return _plain(self.function)(*args, **kwargs)
        return _plain(self.function)(*args, **kwargs)

    def compile(self, *args: Any, **kwargs: Any) -> CompiledProgram:
        """The program for these arguments: one that is kept, or a new one."""
        signature = (device.array_module(), tuple(map(_key, args)), tuple((k, _key(v)) for k, v in kwargs.items()))
        programs = self._programs.setdefault(signature, [])
        for program in programs:
            if fresh(program.reads):
                return program
        made = self._compiled(args, kwargs)
        programs[:] = [made, *programs[:3]]
        return made

    def _compiled(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> CompiledProgram:
        self.compilations += 1
        given = {name: _abstract(value) for name, value in kwargs.items()}
        program = specialize(self.function, [_abstract(item) for item in args], given)
        _name_parameters(self.function, program.root, args)
        directory = _dump_to()
        dump = Dump(directory / program.root.name) if directory is not None else None
        with deep():
            if dump is not None:
                dump("infer", program.root)
            optimize(program.root, after=dump)
            executable = compile_program(program.root, device.array_module())
            if dump is not None:
                dump.text("code.py", executable.source)
                dump.text("memory.txt", str(executable.memory))
        weights = tuple(p.default for p in program.root.parameters if p.default is not None)
        return CompiledProgram(program.root, executable, weights, program.reads)


@builtins.register_kind(Compiled)
def _inner(calls: Calls, callee: Compiled, arguments: Sequence[Node], named: Mapping[str, Node]) -> Node:
    return calls.call(constant(callee.function), arguments, named)


_cells: weakref.WeakKeyDictionary[Any, Compiled] = weakref.WeakKeyDictionary()


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


def cell_programs(cell: Any) -> Compiled:
    """What a Cell is compiled to."""
    if cell not in _cells:
        _cells[cell] = Compiled(_ByReference(cell))
    return _cells[cell]


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


def _abstract(item: Any) -> Abstract:
    """What is known of an argument: of tensors the type, of everything else the value."""
    if isinstance(item, Tensor):
        return AbstractTensor(tuple(item.shape), item.dtype)
    if isinstance(item, tuple | list):
        return AbstractTuple(tuple(map(_abstract, item)), isinstance(item, list))
    if isinstance(item, dict):
        return AbstractDict(tuple(item), tuple(map(_abstract, item.values())))
    return abstract_of(item)


def _key(item: Any) -> Any:
    if isinstance(item, Tensor):
        return item.shape, item.dtype
    if isinstance(item, tuple | list):
        return type(item), tuple(map(_key, item))
    if isinstance(item, dict):
        return dict, tuple((key, _key(value)) for key, value in item.items())
    if isinstance(item, bool | int | float | str | type(None)):
        return type(item), repr(item)
    return _Identity(item)


class _Identity:
    """An object as a key; it is kept alive, so that no other gets its identity."""

    def __init__(self, item: Any) -> None:
        self.item = item

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and self.item is other.item

    def __hash__(self) -> int:
        return id(self.item)


def _data(item: Any) -> Any:
    """An argument as kernels get it."""
    if isinstance(item, Tensor):
        return item._data
    if isinstance(item, tuple | list):
        return type(item)(map(_data, item))
    if isinstance(item, dict):
        return {key: _data(value) for key, value in item.items()}
    return item


def _wrapped(value: Any, abstract: Abstract | None) -> Any:
    """What a kernel returned, as the user gets it."""
    if isinstance(abstract, AbstractTensor):
        return value if isinstance(value, Tensor) else from_array(value)
    if isinstance(abstract, AbstractTuple):
        items = [_wrapped(item, inner) for item, inner in zip(value, abstract.elements, strict=True)]
        return items if abstract.is_list else tuple(items)
    if isinstance(abstract, AbstractDict):
        pairs = zip(abstract.keys, abstract.elements, strict=True)
        return {key: _wrapped(value[key], inner) for key, inner in pairs}
    return abstract.value if isinstance(abstract, AbstractConst) else value


def _name_parameters(function: Any, root: FuncGraph, args: tuple[Any, ...]) -> None:
    """Call the program's parameters what the function calls them."""
    inner = _plain(function)
    target = getattr(inner, "__self__", inner)
    construct = getattr(target, "construct", None) or inner
    try:
        names = list(inspect.signature(construct).parameters)
    except (TypeError, ValueError):
        return
    given = [name for name, item in zip(names, args, strict=False) if not known(_abstract(item))]
    for parameter, name in zip(root.parameters, given, strict=False):
        if parameter.default is None:
            parameter.name = name
