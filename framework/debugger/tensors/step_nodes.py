"""The nodes of a training step: their names, their inputs, and the kinds of tensors that they make.

They come from the compiled program before the first step, and from recordings, which add nodes of PyNative mode. The
session sends them as a `Program`; watchpoints choose targets among them.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterator, Sequence
from typing import Any, Final

from framework.common.tensor import Tensor
from framework.debugger.tensors.recording import Executed, Recording
from framework.engine.call.cells import cell_programs
from framework.engine.codegen.taps import Reporter
from framework.engine.compiler import CompiledProgram
from framework.ir.abstract import Abstract, AbstractTensor, AbstractTuple
from framework.ir.anf import CNode, FuncGraph, Location, Node, Parameter, ValueNode
from framework.ir.errors import GraphError
from framework.ir.manager import Manager
from framework.ir.operators import DEPEND, LOAD, MAKE_LIST, MAKE_TUPLE, TUPLE_GETITEM
from framework.ir.summary_graph import summary_graph
from framework.nn.cell import Cell
from framework.nn.optim.optimizer import optimizers_in
from framework.ops.primitive import Primitive
from summaries.schema import debugger_pb2 as wire

__all__ = ["ACTIVATIONS", "StepNodes"]

# fmt: off
ACTIVATIONS: Final = frozenset((
    "ELU", "FastGeLU", "GeLU", "HSigmoid", "HSwish", "HShrink", "LeakyReLU", "LogSigmoid",
    "LogSoftmax", "Mish", "PReLU", "ReLU", "ReLU6", "SeLU", "SiLU", "Sigmoid",
    "SoftShrink", "Softmax", "Softplus", "Softsign", "Tanh",
))
# fmt: on
"""Operators whose outputs are activations: MindInsight's list, and newer ones."""
_LONGEST_ATTRIBUTE: Final = 200
_MAKERS: Final = (MAKE_TUPLE, MAKE_LIST)


class StepNodes:
    """The nodes of a training step.

    Args:
        network: The whole training step.

    Attributes:
        parameters: The Parameters, trained ones first.
        weights: The trained Parameters.
        inputs: Names of the step's arguments.
        graph: The graph as a serialized `GraphProto`; empty if the network cannot be compiled.
        problem: Why it cannot be compiled.
    """

    def __init__(self, network: Cell) -> None:
        self._network = network
        self.parameters = list(network.get_parameters())
        trained = _trained(network)
        self.parameters.sort(key=lambda item: id(item) not in trained)
        self.weights = [parameter for parameter in self.parameters if id(parameter) in trained]
        self.inputs: tuple[str, ...] = ()
        self.graph = b""
        self.problem = ""
        self._nodes: dict[str, wire.Node] = {}
        self._order: dict[str, int] = {}
        self._files: dict[str, int] = {}
        for parameter in self.parameters:
            kind = wire.WEIGHT if id(parameter) in trained else wire.STATE
            self._add(wire.Node(full_name=parameter.name, type="Parameter", kind=kind, outputs=[_output(parameter)]))

    @classmethod
    def of(cls, network: Cell, batch: Sequence[Any]) -> StepNodes:
        """The nodes of a step; compiles it in either mode.

        Args:
            network: The whole training step.
            batch: Its arguments.
        """
        made = cls(network)
        made.inputs = _input_names(network, len(batch))
        for name, item in zip(made.inputs, batch, strict=True):
            made._add(wire.Node(full_name=name, type="Input", kind=wire.INPUT, outputs=[_output(item)]))
        try:
            made._add_program(cell_programs(network).compile(*batch))
        except GraphError as error:
            made.problem = str(error)
        return made

    def add_recorded(self, recording: Recording) -> bool:
        """Add the unknown nodes of a recording; returns whether there were any."""
        before = len(self._nodes)
        for executed in recording.executions:
            if executed.full_name not in self._nodes:
                self._add(self._of_executed(executed))
        # The recorded order is more precise than that of the graph.
        found = {name: place for place, name in enumerate(dict.fromkeys(e.full_name for e in recording.executions))}
        self._order.update(found)
        return len(self._nodes) != before

    @property
    def program(self) -> wire.Program:
        """All nodes, in order of execution, Parameters and inputs first."""
        nodes = sorted(self._nodes.values(), key=lambda node: self._order.get(node.full_name, -1))
        made = wire.Program(nodes=nodes, files=list(self._files))
        made.digest = hashlib.sha256(made.SerializeToString(deterministic=True)).hexdigest()[:16]
        return made

    def __iter__(self) -> Iterator[wire.Node]:
        return iter(self._nodes.values())

    def __len__(self) -> int:
        return len(self._nodes)

    def __contains__(self, full_name: object) -> bool:
        return full_name in self._nodes

    def node(self, full_name: str) -> wire.Node:
        """The node with this full name.

        Raises:
            KeyError: There is none.
        """
        return self._nodes[full_name]

    def order(self, full_name: str) -> int:
        """Its place in the order of execution; -1 for Parameters, inputs and unknown nodes."""
        return self._order.get(full_name, -1)

    def kind(self, full_name: str) -> wire.Kind.ValueType:
        """The kind of tensor that it makes."""
        known = self._nodes.get(full_name)
        return wire.OTHER if known is None else known.kind

    def line(self, location: Location | None) -> wire.Line | None:
        """A line as a message, with its file in the list of files; None if unknown."""
        if location is None or not location.file:
            return None
        file = self._files.setdefault(location.file, len(self._files))
        return wire.Line(file=file, line=location.line, function=location.function)

    @property
    def files(self) -> list[str]:
        """The files that lines refer to."""
        return list(self._files)

    # ---- from the compiled program

    def _add_program(self, program: CompiledProgram) -> None:
        manager = Manager(program.root)
        reporter = Reporter(program.root)
        given = [parameter for parameter in program.root.parameters if parameter.default is None]
        reading = _Reading(reporter, dict(zip(given, self.inputs, strict=False)))
        for node in _in_order(manager, program.root):
            name = reporter.name(node)
            self._order[name] = len(self._order)
            self._add(self._of_node(node, name, reading))
        self.graph = summary_graph(program.root, loads=False).SerializeToString()

    def _of_node(self, node: CNode, name: str, reading: _Reading) -> wire.Node:
        return wire.Node(
            full_name=name,
            type=node.operator.name,
            kind=_kind(name, node.operator.name),
            outputs=list(_outputs(node.abstract)),
            inputs=[read for item in node.arguments for read in reading.of(item)],
            line=self.line(node.location),
            attributes=_attributes(node.operator) | dict(_constants(node)),
        )

    # ---- from recordings

    def _of_executed(self, executed: Executed) -> wire.Node:
        return wire.Node(
            full_name=executed.full_name,
            type=executed.primitive.name,
            kind=_kind(executed.full_name, executed.primitive.name),
            outputs=[_output(array) for array in executed.outputs],
            inputs=[name.message for name, _ in executed.inputs if name is not None],
            line=self.line(executed.location),
            attributes=_attributes(executed.primitive),
        )

    def _add(self, node: wire.Node) -> None:
        self._nodes[node.full_name] = node


def _trained(network: Cell) -> set[int]:
    """Ids of the Parameters that optimizers change; without an optimizer, of those that require gradients."""
    optimizers = list(optimizers_in(network))
    if optimizers:
        return {id(item) for optimizer in optimizers for item in optimizer.parameters}
    return {id(item) for item in network.get_parameters() if item.requires_grad}


def _kind(full_name: str, kind: str) -> wire.Kind.ValueType:
    if full_name.startswith("Gradients/"):
        return wire.GRADIENT
    return wire.ACTIVATION if kind in ACTIVATIONS else wire.OTHER


def _attributes(primitive: Primitive) -> dict[str, str]:
    shown = {name: value for name, value in primitive.attrs.items() if name not in ("input_names", "output_names")}
    return {name: str(value)[:_LONGEST_ATTRIBUTE] for name, value in shown.items()}


def _constants(node: CNode) -> Iterator[tuple[str, str]]:
    """Constant numbers among the arguments of an operator, by the names of its inputs."""
    names = node.operator.attrs.get("input_names") or ()
    for place, item in enumerate(node.arguments):
        value = item.value if isinstance(item, ValueNode) else None
        if isinstance(value, Tensor) and value.size == 1:
            value = value.asnumpy().item()
        if isinstance(value, bool | int | float):
            yield names[place] if place < len(names) else f"input{place}", str(value)


def _output(tensor: Any) -> wire.Output:
    return wire.Output(dtype=str(tensor.dtype).lower(), shape=list(getattr(tensor, "shape", ())))


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
    """The node behind tuple elements, dependencies and loads, and which of its outputs is read."""
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
