"""A program that the interpreter runs: what graph mode does under `MS_PLAIN=1`.

Nothing is generated and no memory is reused: each operator's `compute` is called with numpy (or cupy), node by node.
It takes the place of `codegen.program.Executable`.
"""

from __future__ import annotations

from typing import Any

from framework.common.tensor import Tensor
from framework.engine.codegen.error_locations import error_at
from framework.engine.codegen.taps import Reporter
from framework.engine.fusion.effects import parameter_behind
from framework.engine.interpreter import Closure, Frame, Machine
from framework.engine.memory.plan import MemoryPlan
from framework.ir.abstract import AbstractTensor
from framework.ir.anf import CNode, FuncGraph, Node
from framework.ir.manager import Manager
from framework.ir.operators import EMPTY_ENVIRON, LOAD, STATE, in_kind_of
from framework.observe import is_watched, wanted
from framework.ops.primitive import Primitive

__all__ = ["InterpretedProgram"]


class InterpretedProgram:
    """A program that is interpreted.

    Args:
        root: the graph that it is; typed and optimized.
        xp: the array module that kernels compute with.
        reporter: what primitives are told to when they have executed; nothing where it is left out.

    Attributes:
        program: the graph.
        source: empty, since there is no code.
        memory: an empty plan: every value has memory of its own.
    """

    def __init__(self, root: FuncGraph, xp: Any, reporter: Reporter | None = None) -> None:
        self.program = root
        self.source = ""
        self.memory = MemoryPlan()
        self._xp, self._reporter = xp, reporter
        self._machine = _ProgramMachine(root, xp, reporter)
        #: By what they show, the forms for watchers.
        self._tapped_variants: dict[frozenset[str] | None, InterpretedProgram] = {}

    def __call__(self, *arguments: object) -> object:
        """Run it on arrays and Python values, one for each parameter of the program that is not a Parameter of a
        Cell."""
        if is_watched() and self._reporter is None:
            return self.tapped(wanted())(*arguments)
        given = iter(arguments)
        passed = [next(given) if p.default is None else p.default._data for p in self.program.parameters]
        return self._machine.run(Closure(self.program, None), passed)

    def tapped(self, names: frozenset[str] | None = None) -> InterpretedProgram:
        """The same program in another form, which reports executed primitives (`framework.observe`).

        Args:
            names: the full names of those that it tells of; all where they are left out.
        """
        if names not in self._tapped_variants:
            reporter = Reporter(self.program, names)
            self._tapped_variants = {names: InterpretedProgram(self.program, self._xp, reporter)}
        variant = self._tapped_variants[names]
        variant._reporter.begin()  # type: ignore[union-attr]
        return variant


class _ProgramMachine(Machine):
    """Runs a program after inference on arrays, applies its changes to Parameters, and reports executed primitives."""

    def __init__(self, root: FuncGraph, xp: Any, reporter: Reporter | None) -> None:
        super().__init__()
        self._xp, self._reporter = xp, reporter
        self._taps: dict[Node, int] = {}
        manager = Manager(root)
        #: The values that functions read of the activations around them.
        self._captured = {node for graph in manager.graphs for node in manager.free_variables(graph)}
        for graph in manager.graphs if reporter is not None else ():
            for node in manager.nodes(graph):
                number = reporter.tap(node) if isinstance(node.operator, Primitive) else None  # type: ignore[union-attr]
                if number is not None:
                    self._taps[node] = number

    def leave(self, frame: Frame) -> None:
        # A function is among the values of the activation that it holds: a circle, which would keep all of them.
        frame.values = {node: value for node, value in frame.values.items() if node in self._captured}

    def constant(self, value: object) -> object:
        if isinstance(value, Tensor) and not hasattr(value, "requires_grad"):
            return value._data
        if isinstance(value, tuple | list):
            made: object = in_kind_of(value, [self.constant(item) for item in value])
            return made
        if isinstance(value, dict) and value is not EMPTY_ENVIRON:
            return {key: self.constant(item) for key, item in value.items()}
        return value

    def apply(self, node: CNode, function: object, arguments: list[object]) -> object:
        try:
            if function is LOAD:
                return parameter_behind(node.arguments[0]).default._data
            if isinstance(function, Primitive):
                return self._compute(node, function, [item for item in arguments if item is not STATE])
            return super().apply(node, function, arguments)
        except Exception as error:
            found = error_at(error, node)
            if found is error:
                raise
            raise found from error

    def _compute(self, node: CNode, primitive: Primitive, given: list[object]) -> object:
        """The value of an operator, after which the Parameters that it writes have theirs."""
        value: Any = primitive.compute(self._xp, *given)
        if isinstance(node.abstract, AbstractTensor) and not node.abstract.shape:
            # Numpy returns scalars where an array without dimensions is meant.
            value = self._xp.asarray(value)
        if node in self._taps:
            self._reporter.record(value, self._taps[node], *given)  # type: ignore[union-attr]
        for position, output in primitive.writes.items():
            weight = parameter_behind(node.arguments[position]).default
            weight._data = value if isinstance(node.abstract, AbstractTensor) else value[output]
        return value
