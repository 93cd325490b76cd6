"""Makes a program of the IR from the graphs of a MindIR file. `reading_programs` calls it.

The program has the form that the parser gives to Python functions. A node that applies a primitive becomes an
application of an `Operation`. Graphs become functions, those of loops blocks. Nodes that only order effects are left
out, because nodes of a parsed graph run in their order; so are parameters that are monads or weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from framework.common.parameter import Parameter as Weight
from framework.common.tensor import Tensor
from framework.ir.abstract import AbstractTensor
from framework.ir.anf import FuncGraph, Location, Node, ValueNode, as_node
from framework.ir.model_values import ModelError
from framework.ir.operators import MAKE_TUPLE, SWITCH
from framework.ir.python_ops import op
from framework.mindir.blocks import Blocks
from framework.mindir.contents import Contents, Value, element_type, kind_of
from framework.mindir.naming_graphs import Names, title
from framework.mindir.operators.extended import the_same
from framework.mindir.operators.meanings import MISSING, meaning_of
from framework.onnx.inputs import Declared, checked
from framework.onnx.limits import Limits
from framework.onnx.operation import Operation
from framework.onnx.reader.structure import listing
from framework.parse.binding import Signature
from summaries.schema.mind_ir_pb2 import Graph, Model, Primitive, TensorData, ValueInfo
from summaries.schema.mind_ir_pb2 import Node as NodeMessage

__all__ = ["STRUCTURE", "Translation"]

_ASSIGNING: Final = frozenset({"Assign", "AssignAdd", "AssignSub"})
_STATISTICS: Final = slice(3, 5)
"""The inputs of `BatchNorm` that are means and variances, which no optimizer changes."""
_DEEPEST: Final = 50
_TUPLES: Final = frozenset({"MakeTuple", "make_tuple", "MakeList", "make_list"})
_ITEMS: Final = frozenset({"TupleGetItem", "tuple_getitem", "ListGetItem", "list_getitem", "RealTupleGetItem"})

STRUCTURE: Final = frozenset({"Depend", "Load", "Partial", "Switch", "UpdateState", *_TUPLES, *_ITEMS})
"""The operators that say how a program is built; all others are in the table of meanings."""


@dataclass(eq=False)
class _Function:
    """A graph of the file as a function of the program.

    Attributes:
        message: the graph of the file.
        graph: the function.
        kept: for each input, whether the function has a parameter for it.
        done: whether its nodes are made.
        entered: whether they are being made.
    """

    message: Graph
    graph: FuncGraph
    kept: list[bool]
    done: bool = False
    entered: bool = False


class Translation:
    """Makes the program of one file.

    Args:
        model: the file.
        path: where it is, for messages and weights in other files.
        limits: what it may ask for.

    Attributes:
        root: the program.

    Raises:
        ModelError: something in the file is not supported or damaged; the message lists all that is.
    """

    def __init__(self, model: Model, path: Path, limits: Limits) -> None:
        self._path = path
        self._limits = limits
        self._contents = Contents(path.parent, limits)
        self._names = Names(model, limits)
        self._blocks = Blocks(self._names)
        self._problems: list[str] = []
        self._made = 0
        self._attributes: dict[str, dict[str, Value]] = {}
        self._constants: dict[str, Node] = {}
        self._values: dict[str, Node] = {}
        self._assigns = any(item.op_type in _ASSIGNING for item in model.primitives)
        self._weights: dict[str, Node] = {}
        self.root = FuncGraph(model.graph.name or path.stem, Location(str(path), 1))
        self.root.order = []
        self.root.attrs["imported"] = path.name
        inputs = self._inputs(model.graph)
        self._store(model.graph)
        self._fix_statistics()
        self._functions = {name: self._declare(item) for name, item in self._names.graphs.items()}
        self._note_loops()
        if not self._problems:
            self._check_inputs(model.graph, inputs)
            for name in self._functions:
                self._complete(name, 1)
        if self._problems:
            raise ModelError(listing("it needs what is not supported", self._problems))
        names = [item.name for item in self.root.parameters]
        self.root.signature = Signature(names, len(names), None, [], None)

    def _inputs(self, graph: Graph) -> list[Declared]:
        """The inputs of the program as the file declares them."""
        found = []
        for item in graph.input:
            if item.name in self._names.monads:
                continue
            try:
                found.append(_declared(item))
            except ModelError as error:
                self._problems.append(f"the input {_plain(item.name)!r}: {error}")
        return found

    def _check_inputs(self, graph: Graph, declared: Sequence[Declared]) -> None:
        """Parameters for the inputs before those of the weights, and a check of what a call passes."""
        root = self.root
        weights = root.parameters[:]
        root.parameters.clear()
        parameters = []
        for info in declared:
            abstract = None if info.shape is None else AbstractTensor(info.open_shape, info.dtype)
            parameters.append(root.add_parameter(info.name, abstract=abstract))
        root.parameters.extend(weights)
        if not declared:
            return
        checking = Operation(checked, {"declared": tuple(declared)}, "the inputs", "")
        passed = root.apply(checking, *parameters, location=root.location)
        names = [item.name for item in graph.input if item.name not in self._names.monads]
        for place, name in enumerate(names):
            self._values[name] = root.apply(op("getitem"), passed, place)

    def _store(self, graph: Graph) -> None:
        """The weights: Parameters of the program under their names in the network."""
        for tensor in graph.parameter:
            name = tensor.ref_key or _plain(tensor.name)
            try:
                if not tensor.raw_data and not tensor.HasField("external_data") and 0 not in tensor.dims:
                    raise ModelError("it has no elements")
                weight = Weight(Tensor(self._contents.array(tensor)), name)
            except ModelError as error:
                self._problems.append(f"the weight {name!r}: {error}")
                continue
            if name in self._weights:
                self._problems.append(f"two weights have the name {name!r}")
            weight.requires_grad = weight.dtype.kind == "float"
            self._values[tensor.name] = self._weights[name] = self.root.add_parameter(name, weight)

    def _fix_statistics(self) -> None:
        """Take means and variances of batch normalization away from what is trained."""
        names = self._names
        for node in names.makers.values():
            if names.operator(node) != "BatchNorm":
                continue
            for name in node.input[_STATISTICS]:
                behind = names.behind(name)
                maker = names.makers.get(behind)
                if maker is not None and names.operator(maker) == "Load" and maker.input:
                    behind = maker.input[0]
                weight = self._values.get(behind)
                if weight is None:
                    weight = self._weights.get(_plain(behind))
                default = getattr(weight, "default", None)
                if isinstance(default, Weight):
                    default.requires_grad = False

    def _declare(self, message: Graph) -> _Function:
        """A function without nodes. Inputs that are weights are those of the whole program."""
        if message.name == self._main:
            return _Function(message, self.root, [])
        graph = FuncGraph(_plain(message.name), self.root.location)
        graph.order = []
        graph.attrs["around"] = self.root
        kept = []
        for item in message.input:
            weight = self._weights.get(item.tensor[0].ref_key) if len(item.tensor) == 1 else None
            kept.append(weight is None and item.name not in self._names.monads)
            if weight is not None:
                self._values[item.name] = weight
            elif kept[-1]:
                self._values[item.name] = graph.add_parameter(_plain(item.name))
        if message.name not in self._blocks.blocks:
            names = [item.name for item in graph.parameters]
            graph.signature = Signature(names, len(names), None, [], None)
        return _Function(message, graph, kept)

    def _note_loops(self) -> None:
        """Note headers of loops, and the blocks after them."""
        for name in self._blocks.headers:
            attrs, after = self._functions[name].graph.attrs, self._blocks.after(name)
            attrs["loop"] = True
            if after is None:
                ending = FuncGraph("after_loop", self.root.location)
                ending.output = ValueNode(None)
            attrs["join"] = ending if after is None else self._functions[after].graph

    @property
    def _main(self) -> str:
        return next(iter(self._names.graphs))

    def _complete(self, name: str, depth: int) -> None:
        """Make the nodes of a function, after those around it whose values it reads."""
        function = self._functions[name]
        if function.done:
            return
        if function.entered or depth > _DEEPEST:
            raise ModelError(f"the graph {name!r} is nested in itself, or more than {_DEEPEST} deep")
        function.entered = True
        for node in function.message.node:
            if node.op_type != "Constant":
                self._node(node, function, depth)
        function.graph.output = self._operand(function.message.output[0].name, function, depth)
        function.done = True

    def _node(self, node: NodeMessage, function: _Function, depth: int) -> None:
        self._made += 1
        name = node.output[0]
        operator = self._names.operator(node)
        try:
            made = self._applied(node, operator, function, depth) if operator else self._call(node, function, depth)
        except ModelError as error:
            what = title(node, operator or "the call")
            text = str(error)
            self._problems.append(text if text.startswith(what) else f"{what}: {text}")
            made = ValueNode(None)
        if made is not None:
            self._values[name] = made

    def _operand(self, name: str, function: _Function, depth: int) -> Node:
        """The node that a name stands for within a function.

        Raises:
            ModelError: nothing makes it, or only a later node does.
        """
        if name in self._values:
            maker_graph = self._names.home.get(name, self._main)
            if maker_graph not in (self._main, function.message.name):
                function.graph.attrs["around"] = self._functions[maker_graph].graph
            return self._values[name]
        if name in self._names.constants:
            return self._constant(name)
        if name in self._names.monads:
            return ValueNode(None)
        maker = self._names.makers.get(name)
        if maker is not None and self._names.operator(maker) == "Partial":
            return as_node(self._partial(maker, function, depth))
        if name in self._names.graphs and maker is None:
            return as_node(self._functions[name].graph)
        home = self._names.home.get(name)
        if home is None:
            raise ModelError(f"it reads {name!r}, which nothing makes")
        if home != function.message.name:
            self._complete(home, depth + 1)
            if name in self._values:
                return self._operand(name, function, depth)
        raise ModelError(f"it reads {name!r} before it is made")

    def _constant(self, name: str) -> Node:
        if name not in self._constants:
            self._constants[name] = ValueNode(self._contents.value(self._names.constants[name]))
        return self._constants[name]

    def _applied(self, node: NodeMessage, operator: str, function: _Function, depth: int) -> Node | None:
        """The node for an application of a primitive; None if it only orders effects, or gives arguments to a graph."""
        graph, inputs = function.graph, list(node.input)
        if operator in ("UpdateState", "Partial"):
            return ValueNode(None) if operator == "UpdateState" else None
        if operator in ("Depend", "Load"):
            if not inputs:
                raise ModelError("it has no input")
            value = self._operand(inputs[0], function, depth)
            if operator == "Depend" or not self._assigns:
                return value
            return graph.apply(Operation(the_same, {}, title(node, operator), ""), value, location=self._place(node))
        inputs = [name for name in inputs if name not in self._names.monads and not self._is_state(name)]
        operands = [self._operand(name, function, depth) for name in inputs]
        if operator in _TUPLES:
            return graph.apply(MAKE_TUPLE, *operands, location=self._place(node))
        if operator in _ITEMS:
            _expect(operands, 2)
            return graph.apply(op("getitem"), *operands, location=self._place(node))
        if operator == "Switch":
            return self._switch(node, operands, function)
        if operator.startswith("Inplace"):
            self._check_in_place(node, function)
        return self._primitive(node, operator, inputs, operands, graph)

    def _is_state(self, name: str) -> bool:
        maker = self._names.makers.get(self._names.behind(name))
        return maker is not None and self._names.operator(maker) == "UpdateState"

    def _primitive(
        self, node: NodeMessage, operator: str, inputs: Sequence[str], operands: Sequence[Node], graph: FuncGraph
    ) -> Node:
        primitive = self._names.primitives.get(self._names.called(node))
        attributes = dict(self._attributes_of(primitive, node))
        attributes["memory"] = self._limits.memory
        known = [item.value if isinstance(item, ValueNode) else MISSING for item in operands]
        takes_all = primitive is not None and primitive.prim_type == Primitive.PRIMITIVE_FUNCTION
        applied, named, count = meaning_of(operator, attributes, known, takes_all)
        operation = Operation(applied, named, title(node, operator), _scope(node))
        name = _plain(node.output[0])
        return graph.apply(operation, *operands[:count], name=name, location=self._place(node, operator, inputs))

    def _attributes_of(self, primitive: Primitive | None, node: NodeMessage) -> dict[str, Value]:
        """The attributes of a primitive that can be values; in old files a node has its own."""
        key = "" if primitive is None else primitive.name
        if key and key in self._attributes:
            return self._attributes[key]
        found: dict[str, Value] = {}
        for item in node.attribute if primitive is None else primitive.attribute:
            try:
                found["data_format" if item.name == "format" else item.name] = self._contents.value(item)
            except ModelError:
                continue  # Notes of the compiler. An operator that needs one says that it is missing.
        if key:
            self._attributes[key] = found
        return found

    def _place(self, node: NodeMessage, operator: str = "", inputs: Sequence[str] = ()) -> Location:
        text = f"{_plain(node.output[0])} = {operator or node.op_type}({', '.join(map(_plain, inputs))})"
        home = _plain(self._names.home[node.output[0]])
        return Location(str(self._path), self._made, source=text, function=home, end_column=len(text))

    def _check_in_place(self, node: NodeMessage, function: _Function) -> None:
        """Refuse a change in place of a value that a later node reads: here it makes a new value."""
        changed, behind = node.input[0] if node.input else "", False
        for other in function.message.node:
            reads = self._names.operator(other) not in ("UpdateState", "Depend") and changed in other.input
            if behind and reads and changed not in self._names.constants:
                raise ModelError(f"it changes {_plain(changed)!r} in place, which is read afterwards")
            behind = behind or other is node

    def _switch(self, node: NodeMessage, operands: Sequence[Node], function: _Function) -> Node:
        """A choice of two values. Functions become blocks without parameters if their choice is called without."""
        _expect(operands, 3)
        graph = function.graph
        branches = [
            self._branch(item.value, function) if isinstance(item, ValueNode) and _is_block(item.value) else item
            for item in operands[1:]
        ]
        joins = self._joins(function)
        for branch in branches:
            if isinstance(branch, ValueNode) and _is_block(branch.value):
                branch.value.attrs["joins"] = joins
        return graph.apply(SWITCH, operands[0], *branches, location=self._place(node))

    def _joins(self, function: _Function) -> tuple[FuncGraph, ...]:
        """The blocks that both paths of a choice may jump to: where they meet, and those of the loops around them."""
        name = function.message.name
        meeting = self._blocks.meeting(name)
        found = [] if meeting is None else [self._functions[meeting].graph]
        for header in self._blocks.loops_around(name):
            graph = self._functions[header].graph
            found += [graph, graph.attrs["join"]]
        return tuple(dict.fromkeys(found))

    def _branch(self, target: FuncGraph, function: _Function) -> Node:
        """A block that jumps to another one: a choice is made between blocks that nothing else jumps to."""
        if target.parameters or target.attrs.get("given"):
            return as_node(target)
        block = FuncGraph(target.name, self.root.location)
        block.order = []
        block.attrs["around"] = function.graph
        block.output = block.apply(target, location=self.root.location)
        return as_node(block)

    def _partial(self, node: NodeMessage, function: _Function, depth: int) -> FuncGraph:
        """A graph with its first arguments given, as a function of the others."""
        given = list(node.input)
        target = self._functions.get(self._names.behind(given[0])) if given else None
        if target is None:
            raise ModelError(f"{title(node, 'Partial')} gives arguments to what is no graph")
        if len(given) - 1 > len(target.kept):
            raise ModelError(f"{title(node, 'Partial')} gives {len(given) - 1} arguments to {target.graph.name!r}")
        captured = self._passed(target, given[1:], function, depth)
        made = FuncGraph(target.graph.name, self.root.location)
        made.order = []
        made.attrs["around"] = function.graph
        made.attrs["given"] = True
        rest = [made.add_parameter(item.name) for item in target.graph.parameters[len(captured) :]]
        made.output = made.apply(target.graph, *captured, *rest, location=self.root.location)
        if rest or target.graph.signature is not None:
            names = [item.name for item in rest]
            made.signature = Signature(names, len(names), None, [], None)
        return made

    def _passed(self, target: _Function, names: Sequence[str], function: _Function, depth: int) -> list[Node]:
        """What is passed for the parameters that a function has."""
        passed = []
        for name, item, is_kept in zip(names, target.message.input, target.kept, strict=False):
            if is_kept:
                passed.append(self._operand(name, function, depth))
            elif item.name not in self._names.monads:
                weight = self._values[item.name]
                if self._operand(name, function, depth) is not weight:
                    raise ModelError(f"it passes {_plain(name)!r} for the weight {_plain(item.name)!r}")
        return passed

    def _call(self, node: NodeMessage, function: _Function, depth: int) -> Node:
        """A call of a graph, or of a value that is a function."""
        called = self._names.called(node)
        target = self._functions.get(called) if called not in self._names.makers else None
        if target is not None:
            if target.graph is self.root:
                raise ModelError("it calls the whole program")
            if len(node.input) != len(target.kept):
                raise ModelError(
                    f"it passes {len(node.input)} arguments to {target.graph.name!r}, which takes {len(target.kept)}"
                )
            arguments = self._passed(target, node.input, function, depth)
            return function.graph.apply(target.graph, *arguments, location=self._place(node))
        if called not in self._names.home:
            raise ModelError(f"there is no operator and no graph {called!r}")
        applied = self._operand(called, function, depth)
        names = [name for name in node.input if name not in self._names.monads and not self._is_state(name)]
        weights = set(map(id, self._weights.values()))
        operands = [self._operand(name, function, depth) for name in names]
        operands = [item for item in operands if id(item) not in weights]
        return function.graph.apply(applied, *operands, location=self._place(node))


def _is_block(value: object) -> bool:
    return isinstance(value, FuncGraph) and value.signature is None


def _expect(operands: Sequence[Node], count: int) -> None:
    if len(operands) != count:
        raise ModelError(f"it has {len(operands)} inputs instead of {count}")


def _plain(name: str) -> str:
    """A name without that of its graph."""
    return name.rpartition(":")[2] if name.count(":") == 1 else name.split(":")[1] if ":" in name else name


def _scope(node: NodeMessage) -> str:
    """The Cells around a node: `encoder/0-Layer` of `Default/encoder/0-Layer/MatMul-op0`."""
    around = node.domain.split("/")[:-1]
    return "/".join(around[1:] if around[:1] == ["Default"] else around)


def _declared(item: ValueInfo) -> Declared:
    """An input as the file declares it: -1 is an open dimension, -2 any number of dimensions."""
    if len(item.tensor) != 1:
        kind = kind_of(item.attr_info) if item.HasField("attr_info") else "unknown"
        raise ModelError(f"inputs of the kind {kind} are not supported, only tensors are")
    tensor: TensorData = item.tensor[0]
    dims = tuple(tensor.dims)
    shape = None if dims == (-2,) else tuple(length if length >= 0 else None for length in dims)
    return Declared(_plain(item.name), element_type(tensor.data_type), shape)
