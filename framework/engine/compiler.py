"""The stages of the compiler in order: from a function and its argument types to a program that runs."""

from __future__ import annotations

import functools
import inspect
import itertools
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from framework import context
from framework.ad import expand  # noqa: F401, registers the inference of gradients within compiled functions
from framework.common import device
from framework.common.parameter import Parameter as Weight
from framework.common.plain import PLAIN
from framework.engine.arguments import abstract_of_argument, user_value
from framework.engine.codegen.program import Executable, compile_program
from framework.engine.interpreted_program import InterpretedProgram
from framework.engine.memory.budget import check_budget
from framework.engine.memory.garbage_collection import rare_collections
from framework.infer import specialize
from framework.infer.state.program import Program
from framework.infer.state.results import Restore
from framework.ir.abstract import Abstract, known
from framework.ir.anf import FuncGraph
from framework.ir.clone import effectful
from framework.ir.manager import Manager
from framework.opt.dump import Dump
from framework.opt.fusion.report import fusion_text
from framework.opt.pipeline import optimize
from framework.parse.depth import deep
from framework.parse.reads import Read, fresh

__all__ = ["CompiledProgram", "program_of"]

_DUMPS: Final = "MS_DUMP_IR"
"""The environment variable with the directory of dumps, if `save_graphs` is not set."""
_compilations: Final = itertools.count()


@dataclass(frozen=True)
class CompiledProgram:
    """A program for one signature.

    Attributes:
        root: its outermost graph.
        executable: runs it.
        weights: the Parameters that it reads or writes.
        reads: the values that it read from outside.
        restore: for a part of a function, how the results that Python would give are made of its own.
    """

    root: FuncGraph
    executable: Executable | InterpretedProgram
    weights: tuple[Weight, ...]
    reads: list[Read]
    restore: Restore | None = None

    @functools.cached_property
    def is_pure(self) -> bool:
        """Whether running it changes no Parameter and no state of random numbers, and prints nothing."""
        manager = Manager(self.root)
        return self.root not in effectful(manager)

    @property
    def is_good(self) -> bool:
        """Whether everything that it was compiled for, besides its arguments, is unchanged."""
        weights = ((p.abstract, p.default) for p in self.root.parameters if p.default is not None)
        return fresh(self.reads) and all(known_as == abstract_of_argument(weight) for known_as, weight in weights)

    def __call__(self, arguments: Sequence[object]) -> Any:
        """Run it on arrays."""
        return user_value(self.executable(*arguments), self.root.output.abstract)


def program_of(
    function: Callable[..., Any],
    args: Sequence[Abstract],
    kwargs: Mapping[str, Abstract],
    named_by: Callable[..., Any],
    *,
    is_part: bool = False,
) -> CompiledProgram:
    """Compile a function.

    Args:
        function: the function that the program calls.
        args: the abstract values of its arguments; those with known values are no inputs of the program.
        kwargs: the abstract values of keyword arguments.
        named_by: the Python function whose arguments give the inputs their names.
        is_part: whether it is a part of a function whose other parts Python runs.

    Returns:
        The program. With `save_graphs` or MS_DUMP_IR it was dumped after every pass.
    """
    with rare_collections():
        return _program_of(specialize(function, args, kwargs, is_part=is_part), args, named_by)


def _program_of(program: Program, args: Sequence[Abstract], named_by: Callable[..., Any]) -> CompiledProgram:
    _name_parameters(named_by, program.root, args)
    dump = _dump_of(program.root)
    with deep():
        if dump is not None:
            dump("infer", program.root)
        optimize(program.root, after=dump)
        if dump is not None and not dump.is_whole:
            dump("validate", program.root)
        xp = device.array_module()
        executable = InterpretedProgram(program.root, xp) if PLAIN else compile_program(program.root, xp)
        if dump is not None and dump.is_whole:
            _dump_executable(dump, program.root, executable)
    weights = tuple(p.default for p in program.root.parameters if p.default is not None)
    check_budget(program.root.name, executable.memory, weights)
    return CompiledProgram(program.root, executable, weights, program.reads, program.restore)


def _dump_of(root: FuncGraph) -> Dump | None:
    """Where a program is dumped; None if it is not."""
    if context.get_context("save_graphs"):
        return Dump(Path(context.get_context("save_graphs_path")) / root.name)
    if os.environ.get(_DUMPS):
        return Dump(Path(os.environ[_DUMPS]) / root.name)
    if os.environ.get("MS_DEV_SAVE_GRAPHS", "0") in ("", "0"):
        return None
    # As MindSpore writes them: into one directory, with the number of the compilation.
    passes = [part.strip() for part in os.environ.get("MS_DEV_DUMP_IR_PASSES", "").split(",") if part.strip()]
    return Dump(os.environ.get("MS_DEV_SAVE_GRAPHS_PATH", "."), f"_{next(_compilations):04d}", passes)


def _dump_executable(dump: Dump, root: FuncGraph, executable: Executable | InterpretedProgram) -> None:
    dump("plan", executable.program)
    dump.text("fusion.txt", fusion_text(root))
    if isinstance(executable, Executable):
        dump.text("code.py", executable.source)
        dump.text("memory.txt", str(executable.memory))


def _name_parameters(function: Callable[..., Any], root: FuncGraph, args: Sequence[Abstract]) -> None:
    """Give the program's parameters the names that they have in the function."""
    target = getattr(function, "__self__", function)
    construct = getattr(target, "construct", None) or function
    names = getattr(target, "_input_names", None)
    try:
        names = names or _argument_names(inspect.signature(construct), len(args))
    except (TypeError, ValueError):
        return
    given = [name for name, abstract in zip(names, args, strict=False) if not known(abstract)]
    for parameter, name in zip(root.parameters, given, strict=False):
        if parameter.default is None:
            parameter.name = name


def _argument_names(signature: inspect.Signature, count: int) -> list[str]:
    """The names of the first arguments; those of `*inputs` are inputs0, inputs1 and so on, as in MindSpore."""
    names: list[str] = []
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            return names + [f"{name}{place}" for place in range(count - len(names))]
        names.append(name)
    return names
