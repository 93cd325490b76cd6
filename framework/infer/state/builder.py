"""Builds nodes of the residual program: applications of operators, tuples, values of Parameters, constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from framework.common.parameter import Parameter as Weight
from framework.common.tensor import Tensor
from framework.infer.state.emitter import Emitter
from framework.infer.state.mutation import Mutations
from framework.infer.state.program import Program
from framework.infer.values import as_variable, constant, element_kinds, holds_function, is_known, value_of
from framework.ir.abstract import Abstract, AbstractConst, AbstractDict, AbstractTuple
from framework.ir.anf import CNode, Node, Parameter, ValueNode, is_operator
from framework.ir.errors import GraphError, PythonOnlyError
from framework.ir.operators import (
    DEPEND,
    DICT_GETITEM,
    LOAD,
    MAKE_DICT,
    MAKE_LIST,
    MAKE_TUPLE,
    TUPLE_GETITEM,
    Structural,
)
from framework.ir.python_ops import NEVER
from framework.ops.primitive import Primitive

__all__ = ["Builder"]

_CONTAINERS: Final = (MAKE_TUPLE, MAKE_LIST, MAKE_DICT)
"""Operators whose results hold references to Parameters, as they hold other values."""


class Builder:
    """Builds nodes at the current place: in the current graph, after the side effects so far.

    Args:
        program: the residual program.

    Attributes:
        emitter: the current graph.
        effects: the number of side effects so far.
        used: the nodes that other nodes have as inputs.
        mutations: which values are stale.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.emitter: Emitter = program.top
        self.effects = 0
        self.used: set[Node] = set()
        self.mutations = Mutations()

    def effect(self, node: Node) -> None:
        """Note that a node has a side effect, so that later effects come after it."""
        self.effects += 1
        self.emitter.after(node)

    def finish(self, emitter: Emitter, result: Node) -> CNode | None:
        """Give a graph its output. Returns the node that orders it after the side effects, if there are any."""
        if not emitter.effects:
            emitter.graph.output = result
            return None
        output = emitter.graph.apply(DEPEND, result, emitter.state, abstract=result.abstract)
        emitter.graph.output = output
        return output

    def of_value(self, value: Any, owner: str | None = "the environment of the function") -> Node:
        """A Python object as a node: a parameter of the program for a Parameter, else a constant.

        Args:
            value: the object.
            owner: the owner outside of the program, if it has one.
        """
        if isinstance(value, Weight):
            weight = self.weight(value)
            self.mutations.foreign_node(weight, "a Cell: write self.name[index] = value")
            return weight
        if owner is not None:
            self.mutations.foreign(value, owner)
        if isinstance(value, tuple) and (known_as := self.program.tuples.get(id(value))) is not None:
            return ValueNode(value, known_as[1], location=self.program.location)
        if isinstance(value, tuple | list) and any(isinstance(item, Weight | tuple | list) for item in value):
            items = self._items_of(value)
            made = self.make_list(items) if isinstance(value, list) else self.make_tuple(items)
            if owner is not None:
                self.mutations.foreign_node(made, owner)
            return made
        node = constant(value, self.program.location)
        if isinstance(value, tuple):
            self.program.tuples[id(value)] = value, node.abstract
        return node

    def _items_of(self, value: Sequence[Any]) -> list[Node]:
        """The elements of a tuple or list. Tuples of Parameters are cached, because optimizers read them often."""
        known_as = self.program.weight_tuples.get(id(value)) if isinstance(value, tuple) else None
        if known_as is not None:
            return known_as[1]
        items = [self.of_value(item) for item in value]
        if isinstance(value, tuple) and all(isinstance(item, Weight) for item in value):
            self.program.weight_tuples[id(value)] = value, items
        return items

    def weight(self, parameter: Weight) -> Node:
        """A reference to a Parameter. As in Python, its value is read where it is used (`at_present`)."""
        return self.program.weight(parameter)

    def at_present(self, node: Node) -> Node:
        """The node itself, or for a reference to a Parameter its value at this point of the program.

        This is the value at the beginning, or the last one that was assigned. If a choice or a loop assigns one, the
        value is loaded after all side effects so far.
        """
        if not isinstance(node, Parameter) or not isinstance(node.default, Weight):
            return node
        key = id(node.default)
        if key not in self.program.dynamic:
            self.program.plain.add(key)
            return self.program.current.get(key, node)
        loaded = self.emit(LOAD, [node, self.emitter.state], node.abstract)
        self.effect(loaded)
        return loaded

    def variable(self, node: Node) -> Node:
        """The node that receives the gradient of a Parameter: the Parameter if its value is loaded, else the value."""
        dynamic = isinstance(node, Parameter) and id(node.default) in self.program.dynamic
        return node if dynamic else self.at_present(node)

    def emit(self, function: Any, arguments: Sequence[Node], abstract: Abstract | None) -> CNode:
        """Make a node of the residual program. It reads Parameters, unless it only puts them into a container."""
        if function is not LOAD and not any(function is made for made in _CONTAINERS):
            arguments = [self._read(item) for item in arguments]
        self.used.update(arguments)
        node = self.emitter.graph.apply(function, *arguments, abstract=abstract)
        node.location, node.scope = self.program.place, self.program.scope
        node.marks.update(self.program.marks)
        return node

    def primitive(self, primitive: Primitive, arguments: Sequence[Node]) -> Node:
        """Make the application of a primitive."""
        if primitive.side_effect:
            self._announce(primitive, arguments)
        arguments = [
            self.materialized(_of_numpy(argument, as_tensor=place not in primitive.value_inputs))
            for place, argument in enumerate(arguments)
        ]
        abstracts = [argument.abstract for argument in arguments]
        try:
            abstract = primitive.infer(*abstracts)
        except GraphError:
            raise
        except (TypeError, ValueError, IndexError, AttributeError) as error:
            given = ", ".join(map(str, abstracts))
            raise self.program.refusal(f"{primitive.name}({given}): {error}", arguments) from error
        name = self.program.full_name(primitive.name)
        if is_known(ValueNode(None, abstract)) and not primitive.side_effect:
            return ValueNode(value_of(ValueNode(None, abstract)), abstract, location=self.program.location)
        if primitive.side_effect:
            arguments = [*arguments, self.emitter.state]
        node = self.emit(primitive, arguments, abstract)
        node.full_name = name
        if primitive.side_effect:
            self.effect(node)
            self._written(primitive, arguments, node)
        return node

    def _announce(self, primitive: Primitive, arguments: Sequence[Node]) -> None:
        """Note the Parameters that a choice, a loop or a recursion is going to change.

        If none of their values has been read yet, inference continues as if this had been known from the beginning.
        """
        if self.emitter is self.program.top:
            return
        for position in dict(primitive.writes):
            node = arguments[position]
            weight = node.default if isinstance(node, Parameter) else None
            if isinstance(weight, Weight) and id(weight) not in self.program.plain:
                self.program.dynamic.add(id(weight))

    def _written(self, primitive: Primitive, arguments: Sequence[Node], node: Node) -> None:
        for position, output in dict(primitive.writes).items():
            target = arguments[position]
            while isinstance(target, CNode) and is_operator(target, LOAD, "Depend"):
                target = target.inputs[1]
            weight = self._weight_behind(target)
            if weight is None:
                raise self.program.error(
                    f"{primitive.name} changes its input {position}, which must be a Parameter: assign it to self in "
                    "__init__ and pass it as it is",
                    PythonOnlyError,
                )
            if self.emitter is not self.program.top:
                self.program.written.add(weight)
            elif isinstance(node.abstract, AbstractTuple):
                self.program.current[weight] = self.get_item(node, output)
            else:
                self.program.current[weight] = node

    def _weight_behind(self, node: Node) -> int | None:
        for key, parameter in self.program.weights.items():
            if node is parameter or node is self.program.current.get(key):
                return key
        return None

    def structural(self, operator: Structural, arguments: Sequence[Node]) -> Node:
        """Make the application of an operator of the IR itself."""
        if operator is MAKE_TUPLE:
            return self.make_tuple(arguments)
        if operator is MAKE_LIST:
            return self.make_list(arguments)
        if operator is MAKE_DICT:
            keys = [value_of(key) for key in self.items(arguments[0])]
            return self.make_dict(dict(zip(keys, arguments[1:], strict=True)))
        return self.emit(operator, arguments, operator.infer(*(argument.abstract for argument in arguments)))

    # Tuples

    def make_tuple(self, items: Sequence[Node]) -> Node:
        """A tuple."""
        return self._sequence(MAKE_TUPLE, items)

    def make_list(self, items: Sequence[Node]) -> Node:
        """A list."""
        return self._sequence(MAKE_LIST, items)

    def _sequence(self, operator: Structural, items: Sequence[Node]) -> Node:
        abstract = operator.infer(*(item.abstract for item in items))
        if all(map(is_known, items)):
            values = [_object_of(item) for item in items]
            value = values if operator is MAKE_LIST else tuple(values)
            return ValueNode(value, abstract, location=self.program.location)
        return self.emit(operator, items, abstract)

    def dynamic(self, node: Node) -> Node:
        """A tuple or list as one whose length may change.

        Raises:
            InferenceError: its elements have different types.
        """
        items = map(as_variable, self.items(node))
        made = self._sequence(MAKE_LIST if node.abstract.is_list else MAKE_TUPLE, list(items))  # type: ignore[union-attr]
        if len(element_kinds(made.abstract)) > 1:  # type: ignore[arg-type]
            raise self.program.error(f"a sequence of dynamic length needs elements of one type, not {node.abstract}")
        made.abstract = replace(made.abstract, is_dynamic=True)  # type: ignore[type-var]
        return made

    def make_dict(self, items: Mapping[Any, Node]) -> Node:
        """A dictionary."""
        keys = constant(tuple(items))
        abstract = AbstractDict(tuple(items), tuple(item.abstract for item in items.values()))  # type: ignore[misc]
        if all(map(is_known, items.values())):
            return ValueNode({key: _object_of(item) for key, item in items.items()}, abstract)
        return self.emit(MAKE_DICT, [keys, *items.values()], abstract)

    def items(self, node: Node) -> list[Node]:
        """The elements of a tuple or list."""
        if not isinstance(node.abstract, AbstractTuple):
            raise self.program.error(f"{node.abstract} is not a tuple or list")
        if is_operator(node, MAKE_TUPLE, MAKE_LIST) and isinstance(node, CNode):
            return node.arguments
        return [self.get_item(node, place) for place in range(len(node.abstract.elements))]

    def get_item(self, node: Node, place: int) -> Node:
        """One element of a tuple or list."""
        assert isinstance(node.abstract, AbstractTuple)  # noqa: S101
        if is_operator(node, MAKE_TUPLE, MAKE_LIST) and isinstance(node, CNode):
            return node.inputs[1 + place]
        element = node.abstract.elements[place]
        if isinstance(node, ValueNode):
            return ValueNode(node.value[place], element, location=node.location)
        return self.emit(TUPLE_GETITEM, [node, constant(range(len(node.abstract.elements))[place])], element)

    def entries(self, node: Node) -> dict[Any, Node]:
        """The entries of a dictionary."""
        if not isinstance(node.abstract, AbstractDict):
            raise self.program.error(f"{node.abstract} is not a dictionary")
        if is_operator(node, MAKE_DICT) and isinstance(node, CNode):
            return dict(zip(node.abstract.keys, node.arguments[1:], strict=True))
        if isinstance(node, ValueNode):
            items = zip(node.abstract.keys, node.abstract.elements, strict=True)
            return {key: ValueNode(node.value[key], item) for key, item in items}
        pairs = zip(node.abstract.keys, node.abstract.elements, strict=True)
        return {key: self.emit(DICT_GETITEM, [node, constant(key)], item) for key, item in pairs}

    # The rest

    def materialized(self, node: Node) -> Node:
        """A node as a value of the running program.

        Raises:
            InferenceError: it is or contains a function, which exists only at compile time.
        """
        if isinstance(node.abstract, AbstractConst) and node.abstract.value is NEVER:
            return node
        if holds_function(node.abstract):
            raise self.program.error(
                "a compiled program cannot choose a function at run time: pass, return or store a function only if it "
                "is known at compile time"
            )
        return self._read(node)

    def _read(self, node: Node) -> Node:
        """A node in which references to Parameters are replaced by their current values."""
        if not isinstance(node, CNode) or not is_operator(node, *_CONTAINERS):
            return self.at_present(node)
        items = [self._read(item) for item in node.arguments]
        if all(new is old for new, old in zip(items, node.arguments, strict=True)):
            return node
        return self.emit(node.operator, items, node.abstract)


def _of_numpy(node: Node, as_tensor: bool) -> Node:
    """A number of numpy as a tensor of its own element type, as in PyNative mode, or as a plain number."""
    if not isinstance(node, ValueNode) or not isinstance(node.value, np.generic):
        return node
    return constant(Tensor(node.value) if as_tensor else node.value.item(), node.location)


def _object_of(node: Node) -> Any:
    """The value of a known node. For a constant, the object itself, so that its other names are found."""
    return node.value if isinstance(node, ValueNode) else value_of(node)
