"""Writes the program of a rank: operators on parts, with redistributions and sums between them; `regions` calls it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from framework.infer.evaluators.inference import Inference
from framework.infer.state.emitter import Emitter
from framework.infer.values import constant
from framework.ir.abstract import AbstractTensor, AbstractTuple
from framework.ir.anf import CNode, FuncGraph, Node, Parameter, ValueNode
from framework.ir.operators import DEPEND, DICT_GETITEM, LOAD, MAKE_DICT, MAKE_LIST, MAKE_TUPLE, TUPLE_GETITEM
from framework.ops.primitive import cached
from framework.parallel.layouts.placements import Placement, part_shape
from framework.parallel.programs.network_of_program import NetworkOfProgram, Numbers, leaves
from framework.parallel.programs.part_operators import GradientSum, PartialSum, Redistributed
from framework.parallel.rules.indices import Division

__all__ = ["program_of_parts"]

#: Gives the node of the next tensor of an operand, by the number of its value.
_Next = Callable[[int], Node]


def program_of_parts(
    infer: Inference,
    region: FuncGraph,
    read: NetworkOfProgram,
    divisions: Sequence[Division],
    result: Callable[[tuple[int, ...]], Placement],
) -> FuncGraph:
    """The function of a region for a rank's parts.

    Args:
        infer: the inference of the program; the Parameters are those of the parts already.
        region: the region, for whole tensors.
        read: its network.
        divisions: the division of each operator.
        result: where a result is wanted, by its whole shape.
    """
    return _Insertion(infer, region, read, divisions).run(result)


class _Insertion:
    """The state of writing one program."""

    def __init__(
        self, infer: Inference, region: FuncGraph, read: NetworkOfProgram, divisions: Sequence[Division]
    ) -> None:
        self._infer, self._region, self._read, self._divisions = infer, region, read, divisions
        self._network = read.network
        self._placements = read.network.placements(divisions)
        self._graph = FuncGraph(region.name, region.location)
        self._graph.attrs.update(region.attrs)
        #: The node of each value where the operator that makes it has it, and of everything else.
        self._parts: dict[int, Node] = {}
        self._others: dict[Node, Node] = {}
        #: The nodes that were made to bring a value to another place or to add up its gradients.
        self._moved: dict[tuple[int, Placement, tuple[int, ...]], Node] = {}

    def run(self, result: Callable[[tuple[int, ...]], Placement]) -> FuncGraph:
        build = self._infer.build
        outer, build.emitter = build.emitter, Emitter(self._graph, build.emitter.depth)
        program = self._infer.program
        location = program.location
        try:
            for parameter in self._region.parameters:
                self._parameter(parameter)
            for node in self._read.nodes:
                program.location = node.location
                self._node(node)
            program.location = location
            output = self._region.output
            made = self._rebuilt(
                output,
                self._read.of(output),
                lambda number: self._at(number, result(self._network.values[number].shape)),
            )
            build.finish(build.emitter, made)
        finally:
            build.emitter, program.location = outer, location
        return self._graph

    def _parameter(self, parameter: Parameter) -> None:
        numbers = self._read.of(parameter)
        abstract = self._local(parameter.abstract, iter(leaves(numbers)))
        made = self._graph.add_parameter(parameter.name, abstract=abstract)
        self._keep(parameter, made, numbers)

    def _local(self, abstract: object, numbers: Iterator[int]) -> object:
        """An abstract value with the shapes of parts."""
        if isinstance(abstract, AbstractTuple):
            elements = tuple(self._local(item, numbers) for item in abstract.elements)
            return AbstractTuple(elements, abstract.is_list)  # type: ignore[arg-type]
        if not isinstance(abstract, AbstractTensor):
            return abstract
        number = next(numbers)
        return AbstractTensor(
            part_shape(self._network.values[number].shape, self._placements[number], self._network.mesh), abstract.dtype
        )

    def _keep(self, node: Node, made: Node, numbers: Numbers) -> None:
        """Remember what a node of the region has become."""
        self._others[node] = made
        if isinstance(numbers, tuple):
            for place, item in enumerate(numbers):
                if item is not None:
                    self._keep_item(made, place, item)
        elif numbers is not None:
            self._parts[numbers] = made

    def _keep_item(self, made: Node, place: int, numbers: Numbers) -> None:
        part = self._infer.build.get_item(made, place)
        if isinstance(numbers, tuple):
            for inner, item in enumerate(numbers):
                self._keep_item(part, inner, item)
        elif numbers is not None:
            self._parts[numbers] = part

    def _node(self, node: CNode) -> None:
        operator, build = node.operator, self._infer.build
        if node in self._read.operations:
            self._operation(node)
        elif operator is LOAD:
            number = self._read.of(node)
            assert isinstance(number, int)  # noqa: S101
            self._parts[number] = build.at_present(node.arguments[0])
            self._moved = {key: made for key, made in self._moved.items() if key[0] != number}
        elif operator is DEPEND and node.arguments[1] in self._others:
            # The order of side effects follows from the order in which they are written.
            made = self._rebuilt(node.arguments[0], self._read.of(node.arguments[0]), self._here)
            self._others[node] = build.emit(DEPEND, [made, self._others[node.arguments[1]]], made.abstract)
            if isinstance(number := self._read.of(node), int):
                self._parts[number] = self._others[node]
        elif operator in (TUPLE_GETITEM, DICT_GETITEM) and self._read.of(node) is None:
            self._others[node] = build.structural(
                operator,
                [self._rebuilt(node.arguments[0], self._read.of(node.arguments[0]), self._here), node.arguments[1]],
            )

    def _operation(self, node: CNode) -> None:
        place = self._read.operations[node]
        operation, division = self._network.operations[place], self._divisions[place]
        indices = operation.indices
        primitive, values = indices.rebuilt(operation.application, division)
        axes = iter(zip(operation.inputs, indices.inputs, range(len(operation.inputs)), strict=True))

        def following(number: int) -> Node:
            _, of_input, position = next(axes)
            if position in operation.written:
                return self._written(number)
            summed = division.without(of_input) if self._network.values[number].differentiable else ()
            return self._at(number, division.placement(of_input), summed)

        arguments: list[Node] = []
        for argument, value in zip(node.arguments, values, strict=False):
            numbers = self._read.of(argument)
            if numbers is None and value is not None:
                arguments.append(constant(value))
            else:
                arguments.append(self._rebuilt(argument, numbers, following))
        made = self._made(node, primitive, arguments)
        if indices.summed and (cut := division.axes(*indices.summed)):
            made = self._infer.build.primitive(cached(PartialSum, self._network.mesh, cut, indices.mean), [made])
        if operation.moved:
            (number,), (source,), (target,) = operation.outputs, operation.made(division), operation.moved
            made = self._redistributed(made, number, source, target)
        self._keep(node, made, self._read.of(node))

    def _redistributed(self, node: Node, number: int, source: Placement, target: Placement) -> Node:
        """A value at another placement."""
        if source == target:
            return node
        shape, mesh = self._network.values[number].shape, self._network.mesh
        return self._infer.build.primitive(cached(Redistributed, shape, mesh, source, target), [node])

    def _made(self, node: CNode, primitive: object, arguments: list[Node]) -> Node:
        """The operator on parts, with the notes of the one that it stands for."""
        made = self._infer.build.primitive(primitive, arguments)  # type: ignore[arg-type]
        if isinstance(made, CNode):
            made.full_name, made.scope, made.location, made.also = node.full_name, node.scope, node.location, node.also
            made.marks = dict(node.marks)
        return made

    def _written(self, number: int) -> Node:
        """A Parameter that an operator changes: the Parameter itself, which no redistribution may hide."""
        weight = self._read.weights.get(number)
        return self._here(number) if weight is None else self._infer.build.weight(weight)

    def _at(self, number: int, target: Placement, summed: tuple[int, ...] = ()) -> Node:
        """The node of a value at a placement, before which gradients are added up over axes of the mesh."""
        key = (number, target, summed)
        if key in self._moved:
            return self._moved[key]
        mesh, build = self._network.mesh, self._infer.build
        if summed:
            made = build.primitive(cached(GradientSum, mesh, summed), [self._at(number, target)])
        else:
            made = self._redistributed(self._here(number), number, self._placements[number], target)
        self._moved[key] = made
        return made

    def _here(self, number: int) -> Node:
        """The node of a value where it is."""
        if number not in self._parts:
            weight = self._read.weights.get(number)
            assert weight is not None  # noqa: S101
            self._parts[number] = self._infer.build.weight(weight)
        return self._parts[number]

    def _rebuilt(self, node: Node, numbers: Numbers, tensor: _Next) -> Node:
        """A node of the region as one of parts, with tensors as `tensor` gives them."""
        build = self._infer.build
        if isinstance(node, ValueNode) and numbers is not None:
            return self._constant(node, numbers, tensor)
        if isinstance(numbers, int):
            return tensor(numbers)
        if numbers is None:
            return node if isinstance(node, ValueNode) else self._others[node]
        if isinstance(node, CNode) and node.operator is DEPEND:
            return self._rebuilt(node.arguments[0], numbers, tensor)
        if isinstance(node, CNode) and node.operator is MAKE_DICT:
            keys = node.abstract.keys  # type: ignore[union-attr]
            items = zip(keys, node.arguments[1:], numbers, strict=True)
            return build.make_dict({key: self._rebuilt(item, inner, tensor) for key, item, inner in items})
        return self._sequence(node, numbers, tensor)

    def _sequence(self, node: Node, numbers: tuple[Numbers, ...], tensor: _Next) -> Node:
        build = self._infer.build
        if isinstance(node, CNode) and node.operator in (MAKE_TUPLE, MAKE_LIST):
            pairs = zip(node.arguments, numbers, strict=True)
            made = [self._rebuilt(item, inner, tensor) for item, inner in pairs]
        else:
            made = [self._item(node, place, inner, tensor) for place, inner in enumerate(numbers)]
        is_list = isinstance(node.abstract, AbstractTuple) and node.abstract.is_list
        return build.make_list(made) if is_list else build.make_tuple(made)

    def _item(self, node: Node, place: int, numbers: Numbers, tensor: _Next) -> Node:
        if isinstance(numbers, int):
            return tensor(numbers)
        if isinstance(numbers, tuple):
            return self._infer.build.make_tuple(
                [self._item(node, inner, item, tensor) for inner, item in enumerate(numbers)]
            )
        return self._infer.build.get_item(self._others[node], place)

    def _constant(self, node: ValueNode, numbers: Numbers, tensor: _Next) -> Node:
        if isinstance(numbers, int):
            self._parts.setdefault(numbers, node)
            return tensor(numbers)
        assert isinstance(numbers, tuple)  # noqa: S101
        items = self._infer.build.items(node)
        made = [
            item if inner is None else self._constant(item, inner, tensor)  # type: ignore[arg-type]
            for item, inner in zip(items, numbers, strict=True)
        ]
        return self._infer.build.make_tuple(made)
