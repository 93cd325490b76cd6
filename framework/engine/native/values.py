"""Values of a segment: its inputs, its temporaries, and its outputs that other code reads.

`Segment` records calls with them; `partition` says what surrounds a segment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from framework.engine.native.layouts import ARGUMENT, CONSTANT, OUTPUT, PLACE, WEIGHT, Base, Layout, contiguous_strides
from framework.engine.native.scratch_buffers import ScratchBuffers
from framework.ir.abstract import AbstractTensor
from framework.ir.anf import CNode, Node, Parameter, ValueNode
from framework.ir.operators import LOAD, TUPLE_GETITEM, UPDATE_STATE

__all__ = ["BlockContext", "NotLowerableError", "Values"]


class NotLowerableError(Exception):
    """A node has no native form.

    Attributes:
        node: that one.
        may_begin_segment: whether it may have one in a segment that begins with it.
    """

    def __init__(self, node: CNode, *, may_begin_segment: bool = False) -> None:
        super().__init__(node)
        self.node, self.may_begin_segment = node, may_begin_segment


@dataclass(frozen=True)
class BlockContext:
    """What a segment has to know of the program around it.

    Attributes:
        readers: of each node those of its block that read it.
        outside: nodes that are seen outside of the block.
        is_root: whether the block is the program's own, which knows the Parameters of Cells by themselves.
        updates: for operators that write Parameters, which of them their outputs may overwrite.
        place: the number of the place of a node in the plan of memory; None where it has none.
        value: the expression of a node's value in the Python code.
        constant: the name of an object in the Python code.
        view: the name of the array of a node in the plan of memory.
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
    """What the nodes of a segment read and make.

    Args:
        nodes: in the order in which they run.
        context: what is around them.
        overwrite_parameter: Parameters that have been written before in the block.

    Attributes:
        arguments: for each array that Python gives, its expression and its layout.
        outputs: the layouts of new arrays that Python gives.
        weights: the Parameters that it reads, and whether it writes them.
        constants: arrays and other objects that have to live as long as the code.
    """

    def __init__(self, nodes: Sequence[CNode], context: BlockContext, written: frozenset[Node]) -> None:
        self.nodes, self.context = list(nodes), context
        self.arguments: list[tuple[str, Layout]] = []
        self.outputs: list[Layout] = []
        self.weights: list[tuple[Parameter, bool]] = []
        self.constants: list[Any] = []
        self._members = set(nodes)
        self._written_before = written
        self._layouts: dict[Node, Any] = {}
        #: For each of these the place of the node that said so, and for Parameters that of the node that wrote them.
        self._defined_at: dict[Node, int] = {}
        self._overwritten_at: dict[Base, int] = {}
        #: What Python calls arrays that lie in memory so.
        self._expressions: dict[Layout, str] = {}
        self._scratch = ScratchBuffers()
        #: The node that is recorded, and its place.
        self._node, self._place = self.nodes[0], 0

    def is_live_out(self, node: Node) -> bool:
        """Whether the value of a node is seen outside of the segment."""
        readers = self.context.readers.get(node, ())
        return node in self.context.outside or any(
            reader not in self._members and reader.operator is not UPDATE_STATE for reader in readers
        )

    def cannot_lower(self) -> NotLowerableError:
        """What to raise where a node has no form."""
        return NotLowerableError(self._node)

    def layout(self, node: Node) -> Layout:
        """Where the value of a node lies, which is a tensor."""
        found = self.layouts(node)
        if not isinstance(found, Layout):
            raise self.cannot_lower()
        self._scratch.use([found], self._place)
        return found

    def layouts(self, node: Node) -> Any:
        """Where the value of a node lies; for one of several outputs a tuple."""
        if node not in self._layouts:
            if node in self._members:
                raise self.cannot_lower()
            self.define(node, self._input(node))
        found = self._layouts[node]
        for layout in _flat(found):
            if self._defined_at[node] < self._overwritten_at.get(layout.base, -1):
                # It is a view of a Parameter that has been overwritten since: as an array of Python's it prevents that.
                raise (
                    NotLowerableError(node)
                    if isinstance(node, CNode) and node in self._members
                    else self.cannot_lower()
                )
        return found

    def int64_array(self, given: Sequence[int]) -> int:
        """The address of whole numbers."""
        kept = np.array(given, np.int64)
        self.constants.append(kept)
        return int(kept.ctypes.data)

    def scratch(self, shape: tuple[int, ...], dtype: Any) -> Layout:
        """Memory for a value that only this segment sees."""
        return self._scratch.output(shape, np.dtype(dtype), self._place)

    def output(self, node: CNode) -> Layout:
        """Memory for the output of a node."""
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
        self, node: CNode, abstracts: Sequence[Any], given: Mapping[int, Layout] = MappingProxyType({})
    ) -> tuple[Layout, ...]:
        """Memory for each output of a node, unless it is given: arrays of their own for those that others see."""
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

    def _output(self, shape: tuple[int, ...], dtype: Any) -> Layout:
        layout = Layout(Base(OUTPUT, len(self.outputs)), shape, dtype, contiguous_strides(shape, dtype.itemsize))
        self.outputs.append(layout)
        self._expressions[layout] = f"o{layout.base.number}"
        return layout

    def define(self, node: Node, layout: Any) -> None:
        """Say where the value of a node lies: a layout, or a tuple of them."""
        self._layouts[node] = layout
        self._defined_at[node] = self._place

    def overwrite_parameter(self, node: CNode, position: int) -> Layout:
        """The array of a Parameter that a node overwrites."""
        output = node.operator.writes[position]
        weight = self.context.updates.get(node, {}).get(output)
        if weight is None or not self.context.is_root or weight in self._written_before:
            raise self.cannot_lower()
        # What was loaded before is the old value.
        if any(item.operator is LOAD and item.arguments[0] is weight for item in self.nodes):
            raise self.cannot_lower()
        layout = self.layout(weight)
        self.weights[layout.base.number] = weight, True
        self._overwritten_at[layout.base] = self._place
        return layout

    def _type(self, abstract: Any) -> tuple[tuple[int, ...], Any]:
        if not isinstance(abstract, AbstractTensor) or not all(abstract.shape):
            raise self.cannot_lower()
        return tuple(dim or 0 for dim in abstract.shape), abstract.dtype.numpy

    def _input(self, node: Node) -> Layout:
        """What the segment reads and does not make."""
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

    def constant(self, array: Any) -> Layout:
        """An array that never changes."""
        self.constants.append(array)
        return Layout(Base(CONSTANT, array.ctypes.data), array.shape, array.dtype, array.strides)

    def weight(self, weight: Parameter) -> Layout:
        """The array that a Parameter of a Cell has when the segment runs."""
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
        """Whether a Parameter has the value that it had when the program began."""
        return self.context.is_root and weight not in self._written_before


def _flat(layouts: Any) -> Iterator[Layout]:
    """The layouts in tuples of them."""
    if isinstance(layouts, Layout):
        yield layouts
    else:
        for item in layouts:
            yield from _flat(item)
