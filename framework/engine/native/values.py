"""Values of a segment: its inputs, its temporaries, and the outputs that other code reads.

`Segment` records calls with their layouts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from framework.engine.native.layouts import (
    ARGUMENT,
    CONSTANT,
    OUTPUT,
    PLACE,
    WEIGHT,
    Base,
    Layout,
    Layouts,
    contiguous_strides,
)
from framework.engine.native.scratch_buffers import ScratchBuffers
from framework.ir.abstract import Abstract, AbstractTensor
from framework.ir.anf import CNode, Node, Parameter, ValueNode
from framework.ir.operators import LOAD, TUPLE_GETITEM, UPDATE_STATE

__all__ = ["BlockContext", "NotLowerableError", "Values"]


class NotLowerableError(Exception):
    """A node cannot be lowered.

    Attributes:
        node: the node.
        may_begin_segment: whether it may be lowered in a segment that begins with it.
    """

    def __init__(self, node: CNode, *, may_begin_segment: bool = False) -> None:
        super().__init__(node)
        self.node, self.may_begin_segment = node, may_begin_segment


@dataclass(frozen=True)
class BlockContext:
    """The block of a segment, and the Python code around it.

    Attributes:
        readers: for each node the nodes of the block that read it.
        outside: nodes whose values are read outside of the block.
        is_root: whether the block is the outermost graph, in which the Parameters of Cells are known.
        updates: for each node that writes Parameters, which of its outputs overwrite which of them in place.
        place: returns the number of a node's place in the memory plan; None if it has none.
        value: returns the Python expression of a node's value.
        constant: returns the name of an object in the Python code.
        view: returns the name of the array of a node with a place in the memory plan.
    """

    readers: Mapping[Node, Sequence[CNode]]
    outside: set[Node]
    is_root: bool
    updates: Mapping[CNode, Mapping[int, Parameter]]
    place: Callable[[CNode], int | None]
    value: Callable[[Node], str]
    constant: Callable[[Any], str]
    view: Callable[[CNode], str]


class Values:
    """The values that the nodes of a segment read and compute.

    Args:
        nodes: the nodes, in the order in which they run.
        context: the code around them.
        written: Parameters that earlier nodes of the block have written.

    Attributes:
        arguments: the arrays that Python passes in: for each its expression and its layout.
        outputs: the layouts of the new arrays that Python passes in.
        weights: the Parameters that the segment reads, each with whether it also writes it.
        constants: arrays and other objects that have to live as long as the code.
    """

    def __init__(self, nodes: Sequence[CNode], context: BlockContext, written: frozenset[Node]) -> None:
        self.nodes, self.context = list(nodes), context
        self.arguments: list[tuple[str, Layout]] = []
        self.outputs: list[Layout] = []
        self.weights: list[tuple[Parameter, bool]] = []
        self.constants: list[object] = []
        self._members = set(nodes)
        self._written_before = written
        self._layouts: dict[Node, Layouts] = {}
        #: The positions of the nodes that have defined these layouts, and of those that have overwritten Parameters.
        self._defined_at: dict[Node, int] = {}
        self._overwritten_at: dict[Base, int] = {}
        #: The Python expressions of arrays, by layout.
        self._expressions: dict[Layout, str] = {}
        self._scratch = ScratchBuffers()
        #: The node that is being recorded, and its position.
        self._node, self._place = self.nodes[0], 0

    def is_live_out(self, node: Node) -> bool:
        """Whether the value of a node is read outside of the segment."""
        readers = self.context.readers.get(node, ())
        return node in self.context.outside or any(
            reader not in self._members and reader.operator is not UPDATE_STATE for reader in readers
        )

    def cannot_lower(self) -> NotLowerableError:
        """The error to raise if the current node cannot be lowered."""
        return NotLowerableError(self._node)

    def layout(self, node: Node) -> Layout:
        """The layout of a node's value, which has to be a tensor."""
        found = self.layouts(node)
        if not isinstance(found, Layout):
            raise self.cannot_lower()
        self._scratch.use([found], self._place)
        return found

    def layouts(self, node: Node) -> Layouts:
        """The layout of a node's value, or a tuple of layouts."""
        if node not in self._layouts:
            if node in self._members:
                raise self.cannot_lower()
            self.define(node, self._input(node))
        found = self._layouts[node]
        for layout in _flat(found):
            if self._defined_at[node] < self._overwritten_at.get(layout.base, -1):
                # It views a Parameter that was overwritten later. In Python, the view would have prevented that.
                raise (
                    NotLowerableError(node)
                    if isinstance(node, CNode) and node in self._members
                    else self.cannot_lower()
                )
        return found

    def int64_array(self, given: Sequence[int]) -> int:
        """The address of a constant array of integers."""
        kept = np.array(given, np.int64)
        self.constants.append(kept)
        return int(kept.ctypes.data)

    def scratch(self, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Layout:
        """Scratch memory for a value that only this segment reads."""
        return self._scratch.output(shape, np.dtype(dtype), self._place)

    def output(self, node: CNode) -> Layout:
        """Memory for the output of a node, which it defines."""
        place = self.context.place(node)
        if place is None:
            (layouts,) = self.outputs_of(node, (node.abstract,))
        else:
            shape, dtype = self._type(node.abstract)
            layouts = Layout(Base(PLACE, place), shape, dtype, contiguous_strides(shape, dtype.itemsize))
            if self.is_live_out(node):
                self._expressions[layouts] = self.context.view(node)
        self.define(node, layouts)
        return layouts

    def outputs_of(
        self, node: CNode, abstracts: Sequence[Abstract | None], given: Mapping[int, Layout] = MappingProxyType({})
    ) -> tuple[Layout, ...]:
        """Memory for each output of a node: new arrays for those that other code reads, else scratch memory.

        Args:
            node: the node.
            abstracts: the abstract value of each output.
            given: the layouts of outputs that have memory already, by number.
        """
        layouts = []
        for number, abstract in enumerate(abstracts):
            if number in given:
                layouts.append(given[number])
                continue
            shape, dtype = self._type(abstract)
            live_out = self.is_live_out(node) or any(
                reader in self._members
                and reader.operator is TUPLE_GETITEM
                and reader.arguments[1].value == number  # type: ignore[attr-defined]
                and self.is_live_out(reader)
                for reader in self.context.readers.get(node, ())
            )
            layouts.append(self._output(shape, dtype) if live_out else self.scratch(shape, dtype))
        return tuple(layouts)

    def _output(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Layout:
        """A new array that Python passes in."""
        layout = Layout(Base(OUTPUT, len(self.outputs)), shape, dtype, contiguous_strides(shape, dtype.itemsize))
        self.outputs.append(layout)
        self._expressions[layout] = f"o{layout.base.number}"
        return layout

    def define(self, node: Node, layout: Layouts) -> None:
        """Set the layout of a node's value."""
        self._layouts[node] = layout
        self._defined_at[node] = self._place

    def overwrite_parameter(self, node: CNode, position: int) -> Layout:
        """The layout of the Parameter at a position of a node's arguments, which the node overwrites in place."""
        output = node.operator.writes[position]
        weight = self.context.updates.get(node, {}).get(output)
        if weight is None or not self.context.is_root or weight in self._written_before:
            raise self.cannot_lower()
        # A loaded value has to stay the old one.
        if any(item.operator is LOAD and item.arguments[0] is weight for item in self.nodes):
            raise self.cannot_lower()
        layout = self.layout(weight)
        self.weights[layout.base.number] = weight, True
        self._overwritten_at[layout.base] = self._place
        return layout

    def _type(self, abstract: Abstract | None) -> tuple[tuple[int, ...], np.dtype[Any]]:
        """The shape and element type of a tensor of known shape, which is not empty."""
        if not isinstance(abstract, AbstractTensor) or not all(abstract.shape):
            raise self.cannot_lower()
        return tuple(dim or 0 for dim in abstract.shape), abstract.dtype.numpy

    def _input(self, node: Node) -> Layout:
        """The layout of a value that the segment reads and does not compute."""
        shape, dtype = self._type(node.abstract)
        strides = contiguous_strides(shape, dtype.itemsize)
        if isinstance(node, ValueNode):
            layout = self.constant(np.array(node.value._data, dtype, order="C"))
            self._expressions[layout] = self.context.value(node)
            return layout
        if isinstance(node, Parameter) and node.default is not None and self._is_unchanged(node):
            return self.weight(node)
        layout = Layout(Base(ARGUMENT, len(self.arguments)), shape, dtype, strides)
        self.arguments.append((self.context.value(node), layout))
        self._expressions[layout] = self.context.value(node)
        return layout

    def constant(self, array: np.ndarray[Any, Any]) -> Layout:
        """The layout of an array that never changes."""
        self.constants.append(array)
        return Layout(Base(CONSTANT, array.ctypes.data), array.shape, array.dtype, array.strides)

    def weight(self, weight: Parameter) -> Layout:
        """The layout of the array that a Parameter of a Cell has when the segment runs."""
        for number, (known, _) in enumerate(self.weights):
            if known is weight:
                return self._weight_layout(number)
        self.weights.append((weight, False))
        layout = self._weight_layout(len(self.weights) - 1)
        self._expressions[layout] = f"{self.context.constant(weight.default)}._data"
        return layout

    def _weight_layout(self, number: int) -> Layout:
        shape, dtype = self._type(self.weights[number][0].abstract)
        return Layout(Base(WEIGHT, number), shape, dtype, contiguous_strides(shape, dtype.itemsize))

    def _is_unchanged(self, weight: Node) -> bool:
        """Whether a Parameter still has its value from the start of the program."""
        return self.context.is_root and weight not in self._written_before


def _flat(layouts: Layouts) -> Iterator[Layout]:
    """The layouts in nested tuples."""
    if isinstance(layouts, Layout):
        yield layouts
    else:
        for item in layouts:
            yield from _flat(item)
