"""Writes the graphs of a program: a node after the other by its form, calls in their place, branches as `If`.

`framework.onnx.exporting` calls it. Loops are in `recurring`. What has no form is collected for one error.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from framework.ir.abstract import UNKNOWN, Abstract, AbstractMonad, AbstractScalar, AbstractTensor, AbstractTuple
from framework.ir.anf import CNode, FuncGraph, Location, Node, Operator, ValueNode
from framework.ir.manager import Manager
from framework.ir.operators import DEPEND, LOAD, MAKE_LIST, MAKE_TUPLE, SWITCH, TUPLE_GETITEM, UPDATE_STATE
from framework.onnx.forms.form_table import Application, Written, form_of, tensor_type
from framework.onnx.writer.nodes import Block, NodeWriter, UnwritableError, declare
from framework.onnx.writer.recurring import write_loop
from framework.onnx.writer.written_values import Choice, Names, Value, flat, flat_types, shaped, weight_behind
from framework.ops.primitive import Primitive
from framework.schema.onnx_pb2 import Graph

__all__ = ["ProgramWriter"]

_HERE: Final = str(Path(__file__).resolve().parents[2])


class ProgramWriter:
    """Writes one program.

    Args:
        root: the program, typed.
        opset: the version of ONNX's operators.

    Attributes:
        writer: the nodes.
        manager: the structure of the program.
        current: the newest value of each weight that was written so far.
        active: the headers of the loops that are being written.
        calls: the graphs that each graph calls or mentions.
        problems: what has no form, with the user's line.
    """

    def __init__(self, root: FuncGraph, opset: int) -> None:
        self.root = root
        self.writer = NodeWriter(opset)
        self.manager = Manager(root)
        self.current: dict[Node, str] = {}
        self.problems: dict[str, None] = {}
        self.active: set[FuncGraph] = set()
        self.calls = self.manager.calls()
        self._reached: dict[FuncGraph, set[FuncGraph]] = {}

    def body(self, graph: FuncGraph, names: Names, without: Sequence[Node] = ()) -> None:
        """Write the nodes of a graph whose parameters are in `names`."""
        for node in self.manager.nodes(graph):
            if node not in without:
                names[node] = self._node(node, names)

    def called(self, graph: FuncGraph, arguments: Sequence[Value], names: Names) -> Value:
        """Write the body of a graph in the place of a call."""
        inside: Names = ChainMap({}, *names.maps) if isinstance(names, ChainMap) else ChainMap({}, names)
        inside.update(zip(graph.parameters, arguments, strict=True))
        self.body(graph, inside)
        return self.read(graph.output, inside)

    def read(self, node: Node, names: Names) -> Value:
        """What became of a node."""
        return node if isinstance(node, ValueNode) else names[node]

    def reached(self, graph: FuncGraph) -> set[FuncGraph]:
        """The graphs that a graph calls or mentions, directly or not."""
        if graph not in self._reached:
            found: set[FuncGraph] = set()
            waiting = [graph]
            while waiting:
                for inner in self.calls[waiting.pop()]:
                    if inner not in found:
                        found.add(inner)
                        waiting.append(inner)
            self._reached[graph] = found
        return self._reached[graph]

    def condition(self, node: Node, names: Names) -> str:
        """The name of a Bool scalar."""
        application = Application(
            self.writer, SWITCH, [node], [self._written(node, names)], AbstractScalar(UNKNOWN, bool)
        )
        name = application.of(0, application.out.dtype)
        return application.emit("Reshape", name, application.numbers()) if application.shape(0) != () else name

    def if_else(self, condition: str, abstract: Abstract, sides: Sequence[Callable[[], Value]]) -> Value:
        """Write an `If`.

        Args:
            condition: the name of a Bool scalar.
            abstract: the type of the result.
            sides: write both sides; each returns what it gives.
        """
        before, found = dict(self.current), []
        for side in sides:
            around, self.writer.block = self.writer.block, Block()
            self.current = dict(before)
            try:
                given = side()
                names = self.tensors(given, abstract)
                found.append((self.writer.block, names, self.current))
            finally:
                self.writer.block = around
        changed = [w for w in {**found[0][2], **found[1][2]} if found[0][2].get(w) != found[1][2].get(w)]
        graphs = []
        for (block, names, current), title in zip(found, ("then", "otherwise"), strict=True):
            values = [*names, *(current.get(weight, str(self._start[weight])) for weight in changed)]
            graphs.append(self.subgraph(block, title, [], values, [*flat_types(abstract), *self._types(changed)]))
        total = len(found[0][1]) + len(changed)
        outputs = self.writer.emit("If", [condition], total, then_branch=graphs[0], else_branch=graphs[1])
        self.current = {**before, **dict(zip(changed, outputs[len(found[0][1]) :], strict=True))}
        return shaped(abstract, iter(outputs[: len(found[0][1])]))

    def tensors(self, value: Value, abstract: Abstract) -> list[str]:
        """The names of the tensors in a value, those that `flat_types` lists."""
        application = Application(self.writer, None, [], [], abstract)
        return [application.tensor(one, kind, tensor_type(kind).dtype) for one, kind in flat(value, abstract)]

    def subgraph(
        self, block: Block, title: str, inputs: Sequence[tuple[str, AbstractTensor]], outputs: Sequence[str],
        types: Sequence[AbstractTensor], scalars: Sequence[str] = (),
    ) -> Graph:  # fmt: skip
        """The body of a branch or a loop. Its outputs get names of their own.

        Args:
            block: its nodes.
            title: its name.
            inputs: the names and types of its inputs, whose shapes may change from round to round.
            outputs: the names of what it gives.
            types: the types of what it gives.
            scalars: the inputs that are scalars in every round.
        """
        made = Graph(name=self.writer.name(title))
        around, self.writer.block = self.writer.block, block
        own = [self.writer.emit("Identity", [name])[0] for name in outputs]
        self.writer.block = around
        made.node.extend(block.nodes)
        for name, kind in inputs:
            declare(made.input.add(), name, kind.dtype, () if name in scalars else None)
        for name, kind in zip(own, types, strict=True):
            declare(made.output.add(), name, kind.dtype, None)
        return made

    def start(self, names: Names) -> None:
        """Begin with the parameters of the program in `names`."""
        self._start = names

    def _types(self, weights: Sequence[Node]) -> list[AbstractTensor]:
        return [tensor_type(weight.abstract) for weight in weights]

    def _node(self, node: CNode, names: Names) -> Value:
        self.writer.label = node.full_name
        try:
            return self._applied(node, self.read(node.function, names), names)
        except UnwritableError as error:
            self._refuse(node, str(error))
        return _missing(node.abstract)

    def _refuse(self, node: CNode, why: str) -> None:
        name = node.operator.name if isinstance(node.operator, Operator | Primitive) else "a call"
        if isinstance(node.operator, FuncGraph):
            name = f"the call of {node.operator.name}"
        place = _user_place(node.location)
        within = f" ({place.function}, line {place.line} of {place.file})" if place is not None else ""
        self.problems[f"{name} has no form in ONNX opset {self.writer.opset}{within}{why and ': '}{why}"] = None

    def _applied(self, node: CNode, function: Value, names: Names) -> Value:
        if isinstance(function, Choice):
            sides = [lambda side=side: self._applied(node, side, names) for side in (function.then, function.otherwise)]
            return self.if_else(function.condition, _known(node.abstract), sides)
        if not isinstance(function, ValueNode):
            raise UnwritableError("the function is computed")
        operator = function.value
        if isinstance(operator, FuncGraph):
            if operator in self.reached(operator):
                return write_loop(self, operator, [self.read(item, names) for item in node.arguments], node, names)
            return self.called(operator, [self.read(item, names) for item in node.arguments], names)
        if operator in _STRUCTURE:
            return _STRUCTURE[operator](self, node, names)
        return self._formed(node, operator, names)

    def _formed(self, node: CNode, operator: Any, names: Names) -> Value:
        """The application of a primitive or of an operator of Python, by its form."""
        key = type(operator).__name__ if isinstance(operator, Primitive) else f"python {operator.name}"
        write = form_of(key)
        if write is None:
            raise UnwritableError("")
        inputs = [item for item in node.arguments if not isinstance(item.abstract, AbstractMonad)]
        written = [self._written(item, names) for item in inputs]
        writes = getattr(operator, "writes", {})
        weights = {place: weight_behind(inputs[place]) for place in writes}
        for place, weight in weights.items():
            written[place] = self.current.get(weight, written[place])
        application = Application(self.writer, operator, inputs, written, _known(node.abstract))
        made = write(application)
        for place, output in writes.items():
            newest = made if isinstance(node.abstract, AbstractTensor) else made[output]  # type: ignore[index]
            self.current[weights[place]] = str(newest)
        return made

    def _written(self, node: Node, names: Names) -> Written:
        found = self.read(node, names)
        if isinstance(found, Choice):
            raise UnwritableError("its input is a function")
        return found

    def _switch(self, node: CNode, names: Names) -> Value:
        condition, *sides = node.arguments
        if isinstance(node.abstract, AbstractTensor | AbstractTuple | AbstractScalar):
            given = [lambda side=side: self.read(side, names) for side in sides]
            return self.if_else(self.condition(condition, names), node.abstract, given)
        return Choice(self.condition(condition, names), *(self.read(side, names) for side in sides))

    def _item(self, node: CNode, names: Names) -> Value:
        sequence, index = self.read(node.arguments[0], names), node.arguments[1]
        if not isinstance(index, ValueNode):
            raise UnwritableError("the place in the tuple is computed")
        if isinstance(sequence, ValueNode):
            return ValueNode(sequence.value[index.value], node.abstract)
        if not isinstance(sequence, tuple):
            raise UnwritableError("it is no tuple")
        found: Value = sequence[index.value]
        return found

    def _load(self, node: CNode, names: Names) -> Value:
        weight = weight_behind(node.arguments[0])
        return self.current.get(weight, self.read(weight, names))

    def _tuple(self, node: CNode, names: Names) -> Value:
        return tuple(self.read(item, names) for item in node.arguments)  # type: ignore[misc]


_STRUCTURE: Final[dict[Any, Callable[[ProgramWriter, CNode, Names], Value]]] = {
    MAKE_TUPLE: ProgramWriter._tuple,
    MAKE_LIST: ProgramWriter._tuple,
    TUPLE_GETITEM: ProgramWriter._item,
    SWITCH: ProgramWriter._switch,
    LOAD: ProgramWriter._load,
    DEPEND: lambda writer, node, names: writer.read(node.arguments[0], names),
    UPDATE_STATE: lambda writer, node, names: None,
}


def _known(abstract: Abstract | None) -> Abstract:
    if abstract is None:
        raise UnwritableError("its type is unknown")
    return abstract


def _missing(abstract: Abstract | None) -> Written:
    if isinstance(abstract, AbstractTuple):
        return tuple(_missing(item) for item in abstract.elements)
    return "missing"


def _user_place(location: Location | None) -> Location | None:
    """The innermost place outside of the framework's own source."""
    place = location
    while place is not None and place.file.startswith(_HERE) and place.caller is not None:
        place = place.caller
    return place or location
