"""The nodes of a training step of the core, from its compiled program: `debugging.tensors.step_nodes`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any, Final

from debugging.executions import Weight
from debugging.tensors.step_nodes import StepNodes, kind_of, shown_attributes
from framework.common.tensor import Tensor
from framework.engine.call.cells import cell_programs
from framework.engine.codegen.taps import Reporter
from framework.engine.compiler import CompiledProgram
from framework.ir.abstract import Abstract, AbstractTensor, AbstractTuple
from framework.ir.anf import CNode, FuncGraph, Node, Parameter, ValueNode
from framework.ir.errors import GraphError
from framework.ir.manager import Manager
from framework.ir.operators import DEPEND, LOAD, MAKE_LIST, MAKE_TUPLE, TUPLE_GETITEM
from framework.ir.summary_graph import summary_graph
from framework.nn.cell import Cell
from framework.nn.optim.optimizer import optimizers_in
from framework.ops.primitive import Primitive
from summaries.schema import debugger_pb2 as wire

__all__ = ["step_nodes"]

_MAKERS: Final = (MAKE_TUPLE, MAKE_LIST)


def step_nodes(network: Cell, weights: Sequence[Weight], batch: Sequence[Any] | None) -> StepNodes:
    """The nodes of a step; compiles it in either mode.

    Args:
        network: The whole training step.
        weights: Its Parameters.
        batch: Its arguments; None for the Parameters alone.
    """
    made = StepNodes(weights, _trained(network))
    if batch is None:
        return made
    arrays = [item._data if isinstance(item, Tensor) else None for item in batch]
    made.add_inputs(dict(zip(_input_names(network, len(batch)), arrays, strict=True)))
    try:
        _add_program(made, cell_programs(network).compile(*batch))
    except GraphError as error:
        made.problem = str(error)
    return made


def _add_program(made: StepNodes, program: CompiledProgram) -> None:
    manager = Manager(program.root)
    reporter = Reporter(program.root)
    given = [parameter for parameter in program.root.parameters if parameter.default is None]
    reading = _Reading(reporter, dict(zip(given, made.inputs, strict=False)))
    for node in _in_order(manager, program.root):
        name = reporter.name(node)
        operator = node.operator
        made.add(
            wire.Node(
                full_name=name,
                type=operator.name,
                kind=kind_of(name, operator.name),
                outputs=list(_outputs(node.abstract)),
                inputs=[read for item in node.arguments for read in reading.of(item)],
                line=made.line(node.location),
                callers=made.callers(node.location),
                attributes=shown_attributes(operator.attrs) | dict(_constants(node)),
            ),
            executes=True,
        )
    made.graph = summary_graph(program.root, loads=False).SerializeToString()


def _trained(network: Cell) -> set[str]:
    """Names of the Parameters that optimizers change; without an optimizer, of those that require gradients."""
    optimizers = list(optimizers_in(network))
    if optimizers:
        return {item.name for optimizer in optimizers for item in optimizer.parameters}
    return {item.name for item in network.get_parameters() if item.requires_grad}


def _constants(node: CNode) -> Iterator[tuple[str, str]]:
    """Constant numbers among the arguments of an operator, by the names of its inputs."""
    names = node.operator.attrs.get("input_names") or ()
    for place, item in enumerate(node.arguments):
        value = item.value if isinstance(item, ValueNode) else None
        if isinstance(value, Tensor) and value.size == 1:
            value = value.asnumpy().item()
        if isinstance(value, bool | int | float):
            yield names[place] if place < len(names) else f"input{place}", str(value)


def _outputs(abstract: Abstract | None) -> Iterator[wire.Output]:
    if isinstance(abstract, AbstractTensor):
        yield wire.Output(
            dtype=str(abstract.dtype).lower(), shape=[-1 if dim is None else dim for dim in abstract.shape]
        )
    elif isinstance(abstract, AbstractTuple):
        for element in abstract.elements:
            yield from _outputs(element)


def _in_order(manager: Manager, root: FuncGraph) -> Iterator[CNode]:
    """The primitives of a program in order of execution; branches follow one another."""
    seen = {root}

    def walk(graph: FuncGraph) -> Iterator[CNode]:
        for node in manager.nodes(graph):
            for item in node.inputs:
                if isinstance(item, ValueNode) and isinstance(item.value, FuncGraph) and item.value not in seen:
                    seen.add(item.value)
                    yield from walk(item.value)
            if isinstance(node.operator, Primitive):
                yield node

    yield from walk(root)


class _Reading:
    """Resolves the inputs of nodes of a compiled program to tensor names.

    Args:
        reporter: Knows the names of nodes.
        inputs: Names of the program's own parameters.
    """

    def __init__(self, reporter: Reporter, inputs: dict[Parameter, str]) -> None:
        self._reporter = reporter
        self._inputs = inputs

    def of(self, item: Node) -> Iterator[wire.TensorName]:
        """The names of the tensors in an argument."""
        item, slot = _source(item)
        if isinstance(item, Parameter) and item.default is not None:
            yield wire.TensorName(full_name=item.default.name)
        elif isinstance(item, Parameter) and item in self._inputs:
            yield wire.TensorName(full_name=self._inputs[item])
        elif isinstance(item, CNode) and isinstance(item.operator, Primitive):
            yield wire.TensorName(full_name=self._reporter.name(item), slot=slot)
        elif isinstance(item, CNode) and item.operator in _MAKERS:
            for one in item.arguments:
                yield from self.of(one)


def _source(item: Node) -> tuple[Node, int]:
    """The node below tuple elements, dependencies and loads, and the index of the output that is read."""
    slot = 0
    while isinstance(item, CNode) and item.operator in (TUPLE_GETITEM, DEPEND, LOAD):
        made, place = item.arguments[0], slot
        if item.operator is TUPLE_GETITEM and isinstance(item.arguments[1], ValueNode):
            place = item.arguments[1].value
            if isinstance(made, CNode) and made.operator in _MAKERS and place < len(made.arguments):
                made, place = made.arguments[place], 0
        item, slot = made, place
    return item, slot


def _input_names(network: Cell, count: int) -> tuple[str, ...]:
    """Names of the arguments of a step: those of the innermost Cell that does not take `*args`."""
    inner: Any = network
    while isinstance(inner, Cell):
        parameters = inspect.signature(inner.construct).parameters.values()
        if all(one.kind is not one.VAR_POSITIONAL for one in parameters) and len(parameters) >= count:
            return tuple(one.name for one in parameters)[:count]
        inner = getattr(inner, "network", None)
    return tuple(f"input{place}" for place in range(count))
