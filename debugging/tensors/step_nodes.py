"""The nodes of a training step: their names, their inputs, and the kinds of tensors that they make.

A framework gives those that it knows before the first step; recordings add the others. The session sends them as a
`Program`; watchpoints choose targets among them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from debugging.executions import Execution, Location, Weight, calls_to
from debugging.tensors.arrays import dtype_name
from debugging.tensors.recording import Executed, Recording
from debugging.tensors.tensor_names import TensorName
from summaries.schema import debugger_pb2 as wire

__all__ = ["ACTIVATIONS", "StepNodes", "kind_of", "output_of", "shown_attributes"]

# fmt: off
ACTIVATIONS: Final = frozenset((
    "ELU", "FastGeLU", "GeLU", "HSigmoid", "HSwish", "HShrink", "LeakyReLU", "LogSigmoid",
    "LogSoftmax", "Mish", "PReLU", "ReLU", "ReLU6", "SeLU", "SiLU", "Sigmoid",
    "SoftShrink", "Softmax", "Softplus", "Softsign", "Tanh",
))
# fmt: on
"""Operators whose outputs are activations: MindInsight's list, and newer ones."""
_LONGEST_ATTRIBUTE: Final = 200
_MOST_CALLERS: Final = 32
"""Most calls that are told of a node."""


class StepNodes:
    """The nodes of a training step.

    Args:
        weights: All that lasts from step to step.
        trained: Names of those that training changes.

    Attributes:
        weights: The trained weights.
        inputs: Names of the step's arguments.
        graph: The graph as a serialized `GraphProto`; empty if it is not known.
        problem: Why it is not known.
        is_own: Whether a file is the user's.
    """

    def __init__(self, weights: Sequence[Weight], trained: Collection[str]) -> None:
        self.weights = [weight for weight in weights if weight.name in trained]
        self.inputs: tuple[str, ...] = ()
        self.graph = b""
        self.problem = ""
        self.is_own: Callable[[str], bool] = lambda _: True
        self._nodes: dict[str, wire.Node] = {}
        self._order: dict[str, int] = {}
        self._files: dict[str, int] = {}
        for weight in sorted(weights, key=lambda item: item.name not in trained):
            kind = wire.WEIGHT if weight.name in trained else wire.STATE
            self.add(wire.Node(full_name=weight.name, type="Parameter", kind=kind, outputs=[output_of(weight.array)]))

    def add_inputs(self, inputs: Mapping[str, Any]) -> None:
        """Add the arguments of the step.

        Args:
            inputs: Their arrays by name; None for an argument that is no tensor.
        """
        self.inputs = tuple(inputs)
        for name, array in inputs.items():
            outputs = [] if array is None else [output_of(array)]
            self.add(wire.Node(full_name=name, type="Input", kind=wire.INPUT, outputs=outputs))

    def add(self, node: wire.Node, executes: bool = False) -> None:
        """Add a node, or replace the one of its name.

        Args:
            node: The node.
            executes: Whether it is an operator, which executes after those that were added before.
        """
        if executes:
            self._order[node.full_name] = len(self._order)
        self._nodes[node.full_name] = node

    def add_executed(self, executed: Execution, outputs: Sequence[Any], behind: str) -> None:
        """Add an operator that was not known before it ran.

        Args:
            executed: Its execution.
            outputs: Its arrays.
            behind: Full name of a known operator that ran before it; empty if there is none.
        """
        place = self._order.get(behind, -1)
        for name, at in self._order.items():
            self._order[name] = at + (at > place)
        self._order[executed.full_name] = place + 1
        self._nodes[executed.full_name] = self._node(executed.full_name, executed, outputs, ())

    def add_recorded(self, recording: Recording) -> bool:
        """Add the unknown nodes of a recording; returns whether there were any."""
        before = len(self._nodes)
        for executed in recording.executions:
            known = self._nodes.get(executed.full_name)
            # A node that was only named before the step ran has no outputs yet.
            if known is None or (not known.outputs and executed.outputs):
                self.add(self._of_executed(executed))
        # The recorded order is more precise than that of the graph.
        found = {name: place for place, name in enumerate(dict.fromkeys(e.full_name for e in recording.executions))}
        self._order.update(found)
        return len(self._nodes) != before

    @property
    def program(self) -> wire.Program:
        """All nodes, in order of execution, Parameters and inputs first."""
        nodes = sorted(self._nodes.values(), key=lambda node: self._order.get(node.full_name, -1))
        libraries = [number for file, number in self._files.items() if not self.is_own(file)]
        made = wire.Program(nodes=nodes, files=list(self._files), libraries=libraries)
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

    def callers(self, location: Location | None) -> list[wire.Line]:
        """The calls that led to a line, innermost first."""
        calls = list(calls_to(location))[1 : 1 + _MOST_CALLERS]
        return [line for call in calls if (line := self.line(call)) is not None]

    @property
    def files(self) -> list[str]:
        """The files that lines refer to."""
        return list(self._files)

    def _of_executed(self, executed: Executed) -> wire.Node:
        names = [name for name, _ in executed.inputs if name is not None]
        return self._node(executed.full_name, executed, executed.outputs, names)

    def _node(
        self, full_name: str, executed: Executed | Execution, outputs: Sequence[Any], inputs: Sequence[TensorName]
    ) -> wire.Node:
        return wire.Node(
            full_name=full_name,
            type=executed.primitive.name,
            kind=kind_of(full_name, executed.primitive.name),
            outputs=[output_of(array) for array in outputs],
            inputs=[name.message for name in inputs],
            line=self.line(executed.location),
            callers=self.callers(executed.location),
            attributes=shown_attributes(executed.primitive.attrs),
        )


def kind_of(full_name: str, operator: str) -> wire.Kind.ValueType:
    """The kind of tensor that an operator makes: a gradient by its scope, an activation by its type."""
    if full_name.startswith("Gradients/"):
        return wire.GRADIENT
    return wire.ACTIVATION if operator in ACTIVATIONS else wire.OTHER


def shown_attributes(attributes: Mapping[str, Any]) -> dict[str, str]:
    """The attributes of an operator as texts, without those that only name its inputs and outputs."""
    shown = {name: value for name, value in attributes.items() if name not in ("input_names", "output_names")}
    return {name: str(value)[:_LONGEST_ATTRIBUTE] for name, value in shown.items()}


def output_of(array: Any) -> wire.Output:
    """The element type and the shape of an array."""
    return wire.Output(dtype=dtype_name(array), shape=list(getattr(array, "shape", ())))
