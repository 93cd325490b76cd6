"""Values of a segment: its inputs, its temporaries, and its outputs that other code reads.

`Segment` records calls with them; `partition` says what surrounds a segment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from framework.engine.native.layouts import ARGUMENT, CONSTANT, OUTPUT, PLACE, WEIGHT, Base, Layout, rows
from framework.engine.native.scratch import Rooms
from framework.ir.abstract import AbstractTensor
from framework.ir.anf import CNode, Node, Parameter, ValueNode
from framework.ir.operators import LOAD, TUPLE_GETITEM, UPDATE_STATE

__all__ = ["Neighbourhood", "NoFormError", "Values"]


class NoFormError(Exception):
    """A node has no native form.

    Attributes:
        node: that one.
        begins: whether it may have one in a segment that begins with it.
    """

    def __init__(self, node: CNode, *, begins: bool = False) -> None:
        super().__init__(node)
        self.node, self.begins = node, begins


@dataclass(frozen=True)
class Neighbourhood:
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
        around: what is around them.
        written: Parameters that have been written before in the block.

    Attributes:
        arguments: for each array that Python gives, its expression and its layout.
        outputs: the layouts of new arrays that Python gives.
        weights: the Parameters that it reads, and whether it writes them.
        constants: arrays and other objects that have to live as long as the code.
    """

    def __init__(self, nodes: Sequence[CNode], around: Neighbourhood, written: frozenset[Node]) -> None:
        self.nodes, self.around = list(nodes), around
        self.arguments: list[tuple[str, Layout]] = []
        self.outputs: list[Layout] = []
        self.weights: list[tuple[Parameter, bool]] = []
        self.constants: list[Any] = []
        self._inside = set(nodes)
        self._written_before = written
        self._layouts: dict[Node, Any] = {}
        #: For each of these the place of the node that said so, and for Parameters that of the node that wrote them.
        self._set_at: dict[Node, int] = {}
        self._overwritten: dict[Base, int] = {}
        #: What Python calls arrays that lie in memory so.
        self._expressions: dict[Layout, str] = {}
        self._rooms = Rooms()
        #: The node that is recorded, and its place.
        self._node, self._place = self.nodes[0], 0

    def is_seen(self, node: Node) -> bool:
        """Whether the value of a node is seen outside of the segment."""
        readers = self.around.readers.get(node, ())
        return node in self.around.outside or any(
            reader not in self._inside and reader.operator is not UPDATE_STATE for reader in readers
        )

    def refuse(self) -> NoFormError:
        """What to raise where a node has no form."""
        return NoFormError(self._node)

    def layout(self, node: Node) -> Layout:
        """Where the value of a node lies, which is a tensor."""
        found = self.layouts(node)
        if not isinstance(found, Layout):
            raise self.refuse()
        self._rooms.use([found], self._place)
        return found

    def layouts(self, node: Node) -> Any:
        """Where the value of a node lies; for one of several outputs a tuple."""
        if node not in self._layouts:
            if node in self._inside:
                raise self.refuse()
            self.set(node, self._given(node))
        found = self._layouts[node]
        for layout in _each(found):
            if self._set_at[node] < self._overwritten.get(layout.base, -1):
                # It is a view of a Parameter that has been overwritten since: as an array of Python's it prevents that.
                raise NoFormError(node) if isinstance(node, CNode) and node in self._inside else self.refuse()
        return found

    def numbers(self, given: Sequence[int]) -> int:
        """The address of whole numbers."""
        kept = np.array(given, np.int64)
        self.constants.append(kept)
        return int(kept.ctypes.data)

    def room(self, shape: tuple[int, ...], dtype: Any) -> Layout:
        """Memory for a value that only this segment sees."""
        return self._rooms.new(shape, np.dtype(dtype), self._place)

    def new(self, node: CNode) -> Layout:
        """Memory for the output of a node."""
        place = self.around.place(node)
        if place is None:
            (made,) = self.new_of_several(node, (node.abstract,))
        else:
            shape, dtype = self._type(node.abstract)
            made = Layout(Base(PLACE, place), shape, dtype, rows(shape, dtype.itemsize))
            if self.is_seen(node):
                self._expressions[made] = self.around.view(node)
        self.set(node, made)
        return made

    def new_of_several(
        self, node: CNode, abstracts: Sequence[Any], given: Mapping[int, Layout] = MappingProxyType({})
    ) -> tuple[Layout, ...]:
        """Memory for each output of a node, unless it is given: arrays of their own for those that others see."""
        made = []
        for number, abstract in enumerate(abstracts):
            if number in given:
                made.append(given[number])
                continue
            shape, dtype = self._type(abstract)
            seen = self.is_seen(node) or any(
                reader in self._inside
                and reader.operator is TUPLE_GETITEM
                and reader.arguments[1].value == number  # type: ignore[attr-defined]
                and self.is_seen(reader)
                for reader in self.around.readers.get(node, ())
            )
            made.append(self._output(shape, dtype) if seen else self.room(shape, dtype))
        return tuple(made)

    def _output(self, shape: tuple[int, ...], dtype: Any) -> Layout:
        layout = Layout(Base(OUTPUT, len(self.outputs)), shape, dtype, rows(shape, dtype.itemsize))
        self.outputs.append(layout)
        self._expressions[layout] = f"o{layout.base.number}"
        return layout

    def set(self, node: Node, layout: Any) -> None:
        """Say where the value of a node lies: a layout, or a tuple of them."""
        self._layouts[node] = layout
        self._set_at[node] = self._place

    def written(self, node: CNode, position: int) -> Layout:
        """The array of a Parameter that a node overwrites."""
        output = node.operator.writes[position]
        weight = self.around.updates.get(node, {}).get(output)
        if weight is None or not self.around.is_root or weight in self._written_before:
            raise self.refuse()
        # What was loaded before is the old value.
        if any(item.operator is LOAD and item.arguments[0] is weight for item in self.nodes):
            raise self.refuse()
        layout = self.layout(weight)
        self.weights[layout.base.number] = weight, True
        self._overwritten[layout.base] = self._place
        return layout

    def _type(self, abstract: Any) -> tuple[tuple[int, ...], Any]:
        if not isinstance(abstract, AbstractTensor) or not all(abstract.shape):
            raise self.refuse()
        return tuple(dim or 0 for dim in abstract.shape), abstract.dtype.numpy

    def _given(self, node: Node) -> Layout:
        """What the segment reads and does not make."""
        shape, dtype = self._type(node.abstract)
        strides = rows(shape, dtype.itemsize)
        if isinstance(node, ValueNode):
            layout = self.constant(np.array(node.value._data, dtype, order="C"))
            self._expressions[layout] = self.around.value(node)
            return layout
        if isinstance(node, Parameter) and node.default is not None and self._is_known(node):
            return self.weight(node)
        layout = Layout(Base(ARGUMENT, len(self.arguments)), shape, dtype, strides)
        self.arguments.append((self.around.value(node), layout))
        self._expressions[layout] = self.around.value(node)
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
        self._expressions[layout] = f"{self.around.constant(weight.default)}._data"
        return layout

    def _weight_layout(self, number: int) -> Layout:
        shape, dtype = self._type(self.weights[number][0].abstract)
        return Layout(Base(WEIGHT, number), shape, dtype, rows(shape, dtype.itemsize))

    def _is_known(self, weight: Node) -> bool:
        """Whether a Parameter has the value that it had when the program began."""
        return self.around.is_root and weight not in self._written_before


def _each(layouts: Any) -> Iterator[Layout]:
    """The layouts in tuples of them."""
    if isinstance(layouts, Layout):
        yield layouts
    else:
        for item in layouts:
            yield from _each(item)
