"""The graph of a dump: its nodes, what each one reads, and lines of the source. `mindspore.py` makes it.

Nodes that only order or pack others (`Load`, `Depend`, `MakeTuple`, `UpdateState`, `TupleGetItem`) are looked through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, NamedTuple

from debugging.tensors.step_nodes import shown_attributes
from summaries.schema import anf_ir_pb2 as ir

__all__ = ["Line", "Program", "ProgramNode", "Source", "program_of"]

_PASSED: Final = frozenset(("Load", "Depend"))
_PACKING: Final = frozenset(("Load", "Depend", "MakeTuple", "UpdateState", "TupleGetItem"))
_LINE: Final = re.compile(rb"In file ([^\n]+?)(?::(\d+)[^/]*|\((\d+)\)[^/]*)/\s*([^\n]*)")


class Line(NamedTuple):
    """A line of the user's source.

    Attributes:
        file: Path of the file.
        line: Number of the line, from 1.
        function: Name of the function; dumps do not have it.
        text: The line itself.
    """

    file: str
    line: int
    function: str
    text: str

    @property
    def caller(self) -> Line | None:
        """None: dumps do not have it."""
        return None

    def __str__(self) -> str:
        return f"In file {self.file}:{self.line}, {self.text}"


class Source(NamedTuple):
    """Where an input of a node comes from.

    Attributes:
        name: Full name of a node or name of a parameter; None for a constant.
        slot: Which output of the node.
    """

    name: str | None
    slot: int = 0


@dataclass(slots=True, eq=False)
class ProgramNode:
    """An operator.

    Attributes:
        full_name: Its full name.
        type: Its type.
        inputs: What it reads, in order.
        shapes: Shapes of its outputs; None if unknown.
        attributes: Its attributes as texts.
        stack: Lines of the source, innermost first.
        changes: Which inputs are parameters that it changes in place, as optimizers and `Assign` do.
    """

    full_name: str
    type: str
    inputs: tuple[Source, ...] = ()
    shapes: tuple[tuple[int, ...] | None, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    stack: tuple[Line, ...] = ()
    changes: tuple[int, ...] = ()

    @property
    def line(self) -> Line | None:
        """The innermost line that is not in an installed package; None if there is no line."""
        own = (line for line in self.stack if "site-packages" not in line.file)
        return next(own, self.stack[0] if self.stack else None)

    @property
    def name(self) -> str:
        """Its type, as rules about causes want it."""
        return self.type

    @property
    def attrs(self) -> Mapping[str, Any]:
        """Its attributes."""
        return self.attributes


@dataclass
class Program:
    """A graph.

    Attributes:
        name: Of the graph.
        nodes: Operators by their full names.
        parameters: Names of parameters and inputs.
        order: Full names in order of execution; empty if unknown.
        inputs: Those of `parameters` that are arguments of the step, rates included: nothing loads or changes them.
        trained: Those that an operator changes and the network reads.
        changed: Those that an operator changes.
        loss: The first output of the graph.
        has_edges: Whether it says what its nodes read.
        graph: The graph as a serialized `GraphProto`; empty if the dump has none.
    """

    name: str
    nodes: dict[str, ProgramNode] = field(default_factory=dict)
    parameters: tuple[str, ...] = ()
    order: list[str] = field(default_factory=list)
    inputs: frozenset[str] = frozenset()
    trained: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    loss: Source | None = None
    has_edges: bool = True
    graph: bytes = field(default=b"", repr=False)

    def readers(self, name: str, slot: int | None = None) -> Iterator[ProgramNode]:
        """The nodes that read an output of a node, or a parameter.

        Args:
            name: Full name of the node, or name of the parameter.
            slot: Which output; None: any.
        """
        for node in self._readers.get(name, ()):
            if any(source.name == name and slot in (None, source.slot) for source in node.inputs):
                yield node

    @cached_property
    def _readers(self) -> dict[str, list[ProgramNode]]:
        found: dict[str, list[ProgramNode]] = {}
        for node in self.nodes.values():
            for name in dict.fromkeys(source.name for source in node.inputs if source.name is not None):
                found.setdefault(name, []).append(node)
        return found


def program_of(data: bytes) -> Program:
    """Read a `ModelProto` of MindSpore.

    Raises:
        ValueError: It is none.
    """
    model = ir.ModelProto()
    try:
        model.ParseFromString(data)
    except Exception as error:
        raise ValueError(f"it is no graph of MindSpore: {error}") from error
    made = _Reading(model.graph).program()
    made.graph = model.graph.SerializeToString()
    return made


class _Reading:
    def __init__(self, graph: ir.GraphProto) -> None:
        self._graph = graph
        self._nodes = {node.name: node for node in graph.node}
        self._parameters = {item.name: _shape(item.type) for item in graph.parameters}
        self._constants = {item.key: item.value for item in graph.const_vals}
        monads = {node.name for node in graph.node if node.op_type == "UpdateState"}
        first = {node.input[1].name for node in graph.node if node.op_type == "Load" and len(node.input) > 1}
        first |= {node.input[0].name for node in graph.node if node.op_type == "UpdateState" and node.input}
        self._monads = monads | (first & self._constants.keys())

    def program(self) -> Program:
        made = Program(self._graph.name, parameters=tuple(item.name for item in self._graph.parameters))
        changed, read = set[str](), set[str]()
        for proto in self._graph.node:
            direct = {item.name for item in proto.input} & self._parameters.keys()
            if proto.op_type in _PACKING:
                if proto.op_type == "Load":
                    read |= direct
                continue
            node = self._node(proto)
            made.nodes[node.full_name] = node
            changed |= {proto.input[slot].name for slot in node.changes}
        arguments = {item.name for node in self._graph.node if not self._effects(node) for item in node.input}
        made.inputs = frozenset(self._parameters.keys() - changed - read)
        made.changed = frozenset(changed)
        made.trained = frozenset(changed & (read | arguments))
        if self._graph.outputs:
            found = next(self._sources(self._graph.outputs[0].name), None)
            made.loss = found if found is not None and found.name is not None else None
        return made

    def _changes(self, proto: ir.NodeProto) -> tuple[int, ...]:
        """The inputs that an operator changes: the first ones, as long as they are parameters of the same shape."""
        found: list[int] = []
        for slot, item in enumerate(proto.input if self._effects(proto) else ()):
            shape = self._parameters.get(item.name)
            if shape is None or (found and shape != self._parameters[proto.input[0].name]):
                break
            found.append(slot)
        return tuple(found)

    def _effects(self, proto: ir.NodeProto) -> bool:
        if proto.op_type in _PACKING:
            return True
        return any(item.name in self._monads for item in proto.input)

    def _node(self, proto: ir.NodeProto) -> ProgramNode:
        sources = [
            source for item in proto.input if item.name not in self._monads for source in self._sources(item.name)
        ]
        attributes = {item.name: _text(item.value) for item in proto.attribute if not item.name.startswith("IsFeature")}
        return ProgramNode(
            proto.full_name or f"{proto.scope}/{proto.op_type}-op{proto.name}",
            proto.op_type,
            tuple(sources),
            _shapes(proto.output_type),
            shown_attributes(attributes),
            tuple(line for address in proto.source_address for line in _lines(address)),
            self._changes(proto),
        )

    def _sources(self, name: str, depth: int = 0) -> Iterator[Source]:
        """Where an input comes from; a packed tuple gives one source for each element."""
        proto = self._nodes.get(name)
        if proto is None:
            yield Source(name if name in self._parameters else None)
        elif depth > 100:
            yield Source(None)
        elif proto.op_type in _PASSED and proto.input:
            yield from self._sources(proto.input[0].name, depth + 1)
        elif proto.op_type == "MakeTuple":
            for item in proto.input:
                yield from self._sources(item.name, depth + 1)
        elif proto.op_type == "TupleGetItem" and len(proto.input) == 2:
            index = self._constants.get(proto.input[1].name, ir.ValueProto()).int_val
            packed = self._nodes.get(proto.input[0].name)
            if packed is not None and packed.op_type == "MakeTuple" and index < len(packed.input):
                yield from self._sources(packed.input[index].name, depth + 1)
            else:
                found = next(self._sources(proto.input[0].name, depth + 1), Source(None))
                yield Source(found.name, index)
        else:
            yield Source(proto.full_name or f"{proto.scope}/{proto.op_type}-op{proto.name}")


def _shape(type_: ir.TypeProto) -> tuple[int, ...]:
    return tuple(dim.size for dim in type_.tensor_type.shape.dim)


def _shapes(type_: ir.TypeProto) -> tuple[tuple[int, ...] | None, ...]:
    if type_.HasField("tensor_type"):
        return (_shape(type_),)
    return tuple(_shape(one) if one.HasField("tensor_type") else None for one in type_.sequence_type.elem_types)


def _text(value: ir.ValueProto) -> str:
    fields = [(descriptor.name, found) for descriptor, found in value.ListFields() if descriptor.name != "dtype"]
    if not fields:
        return ""
    name, found = fields[0]
    if name == "values":
        return "(" + ", ".join(map(_text, found)) + ")"
    return str(found)


def _lines(address: bytes) -> Iterator[Line]:
    for file, colon, paren, text in _LINE.findall(address):
        yield Line(
            file.decode("utf-8", "replace").strip(), int(colon or paren), "",
            text.decode("utf-8", "replace").strip().rstrip("/"),
        )  # fmt: skip
