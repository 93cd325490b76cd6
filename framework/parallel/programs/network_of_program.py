"""Reads the program of a region as a network of operators and values; `regions` calls it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from framework.infer.evaluators.inference import Inference
from framework.infer.values import is_known, value_of
from framework.ir.abstract import Abstract, AbstractMonad, AbstractTensor, AbstractTuple
from framework.ir.anf import CNode, FuncGraph, Node, Parameter, ValueNode
from framework.ir.errors import InferenceError
from framework.ir.manager import Manager
from framework.ir.operators import (
    DEPEND,
    DICT_GETITEM,
    LOAD,
    MAKE_DICT,
    MAKE_LIST,
    MAKE_TUPLE,
    TUPLE_GETITEM,
    UPDATE_STATE,
)
from framework.ops.primitive import Primitive
from framework.parallel.layouts.placements import Placement, whole_placement
from framework.parallel.network import Network, Operation, Value
from framework.parallel.rules.indices import Application
from framework.parallel.rules.rule_table import indices_of
from framework.parallel.strategies import division_of, outputs_of

__all__ = ["NetworkOfProgram", "Numbers", "leaves"]

#: The number of the value of a tensor, a tuple of these for a tuple, or None for anything else.
Numbers = int | tuple[Any, ...] | None


def leaves(numbers: Numbers) -> list[int]:
    """The numbers of all tensors in a structure, in order."""
    if isinstance(numbers, tuple):
        return [leaf for item in numbers for leaf in leaves(item)]
    return [] if numbers is None else [numbers]


class NetworkOfProgram:
    """The network of a region, and the values of its nodes.

    Args:
        infer: the inference of the program.
        graph: the region, inferred with whole shapes.
        mesh: the lengths of the axes of the mesh.
        placement_of: where an argument is, by its position and its abstract value.
        placement_of_weight: where a Parameter is; None if that is still to be decided.

    Attributes:
        network: the network.
        numbers: for each node the numbers of its values.
        operations: for each node of an operator its place in the network.
        nodes: the nodes of the region in order.
        weights: the framework's Parameters by the number of their value.

    Raises:
        InferenceError: the region has control flow that depends on tensors, a dynamic shape or a tensor of the function
            around it; or a strategy does not fit.
    """

    def __init__(
        self,
        infer: Inference,
        graph: FuncGraph,
        mesh: tuple[int, ...],
        placement_of: Callable[[int, tuple[int, ...]], Placement],
        placement_of_weight: Callable[[Any], Placement | None],
    ) -> None:
        self.network = Network(mesh)
        self.numbers: dict[Node, Numbers] = {}
        self.operations: dict[CNode, int] = {}
        self.weights: dict[int, Any] = {}
        self._infer = infer
        self._graph = graph
        self._placement_of_weight = placement_of_weight
        self.nodes = Manager(graph).nodes(graph)
        for place, parameter in enumerate(graph.parameters):
            at_place = functools.partial(placement_of, place)
            self.numbers[parameter] = _with_tensors(self._argument(parameter.abstract, at_place))
        for node in self.nodes:
            self.numbers[node] = _with_tensors(self._read(node))

    def of(self, node: Node) -> Numbers:
        """The numbers of the values of a node of the region, of a constant or of a Parameter."""
        if node not in self.numbers:
            self.numbers[node] = _with_tensors(self._outside(node))
        return self.numbers[node]

    def _argument(self, abstract: Abstract | None, placement: Callable[[tuple[int, ...]], Placement]) -> Numbers:
        if isinstance(abstract, AbstractTuple):
            return tuple(self._argument(item, placement) for item in abstract.elements)
        if not isinstance(abstract, AbstractTensor):
            return None
        return self.network.add(self._value(abstract, placement(self._shape(abstract))))

    def _outside(self, node: Node) -> Numbers:
        """The values of what is no node of the region: a constant or a Parameter."""
        whole = whole_placement(self.network.mesh)
        if isinstance(node, Parameter) and node.default is not None:
            assert isinstance(node.abstract, AbstractTensor)  # noqa: S101
            number = self.network.add(self._value(node.abstract, self._placement_of_weight(node.default)))
            self.network.values[number].name = node.default.name
            self.network.values[number].is_weight = True
            self.weights[number] = node.default
            return number
        if isinstance(node, ValueNode):
            return self._argument(node.abstract, lambda shape: whole)
        raise self._infer.program.error(
            "a function that is cut over ranks uses a tensor of the function around it: pass it as an argument"
        )

    def _read(self, node: CNode) -> Numbers:
        operator = node.operator
        if operator is UPDATE_STATE:
            return None
        if operator in (TUPLE_GETITEM, DICT_GETITEM):
            return self._item(node)
        if operator in (MAKE_TUPLE, MAKE_LIST):
            return tuple(self.of(item) for item in node.arguments)
        if operator is MAKE_DICT:
            return tuple(self.of(item) for item in node.arguments[1:])
        if operator in (DEPEND, LOAD):
            return self.of(node.arguments[0])
        if isinstance(operator, Primitive):
            return self._apply(node, operator)
        raise self._error(
            node,
            "a network that is cut over ranks cannot choose, loop or call by the elements of a tensor: write it with "
            "ops.select or with numbers that are known, or use ParallelMode.DATA_PARALLEL",
        )

    def _item(self, node: CNode) -> Numbers:
        numbers = self.of(node.arguments[0])
        if not isinstance(numbers, tuple) or not is_known(node.arguments[1]):
            return None
        index = value_of(node.arguments[1])
        if node.operator is DICT_GETITEM:
            index = node.arguments[0].abstract.keys.index(index)  # type: ignore[union-attr]
        item: Numbers = numbers[index]
        return item

    def _apply(self, node: CNode, primitive: Primitive) -> Numbers:
        arguments = [item for item in node.arguments if not _is_state(item)]
        inputs: list[int] = []
        written: list[int] = []
        for place, argument in enumerate(arguments):
            if place in primitive.writes:
                written.append(len(inputs))
            inputs += leaves(self.of(argument))
        outputs = self._outputs(node.abstract)
        values = self.network.values
        application = Application(
            primitive,
            tuple(values[number].shape for number in inputs),
            tuple(value_of(item) if self.of(item) is None and is_known(item) else None for item in arguments),
            tuple(values[number].shape for number in leaves(outputs)),
        )
        operation = Operation(
            application,
            indices_of(application),
            tuple(inputs),
            tuple(leaves(outputs)),
            location=node.location,
            name=node.full_name,
            written=frozenset(written),
        )
        strategy = primitive.attrs.get("in_strategy")
        if strategy is not None:
            try:
                operation.given = division_of(application, operation.indices, strategy, self.network.mesh)
                operation.moved = outputs_of(application, primitive.attrs.get("out_strategy"), self.network.mesh)
            except (TypeError, ValueError) as error:
                raise self._error(node, str(error)) from None
        self.operations[node] = len(self.network.operations)
        self.network.operations.append(operation)
        return outputs

    def _outputs(self, abstract: Abstract | None) -> Numbers:
        if isinstance(abstract, AbstractTuple):
            return tuple(self._outputs(item) for item in abstract.elements)
        if not isinstance(abstract, AbstractTensor):
            return None
        return self.network.add(self._value(abstract, None))

    def _value(self, abstract: AbstractTensor, placement: Placement | None) -> Value:
        dtype = abstract.dtype
        return Value(self._shape(abstract), dtype.numpy.itemsize, placement, dtype.kind in ("float", "complex"))

    def _shape(self, abstract: AbstractTensor) -> tuple[int, ...]:
        shape = tuple(length for length in abstract.shape or () if length is not None)
        if abstract.shape is None or len(shape) < len(abstract.shape):
            raise self._infer.program.error(
                f"a network that is cut over ranks needs known shapes, not {abstract.shape}: leave input_signature out"
            )
        return shape

    def _error(self, node: CNode, message: str) -> InferenceError:
        return InferenceError(message, node.location)


def _with_tensors(numbers: Numbers) -> Numbers:
    """A structure, or None if there is no tensor in it."""
    return numbers if leaves(numbers) else None


def _is_state(node: Node) -> bool:
    return isinstance(node.abstract, AbstractMonad)
