"""A segment: neighbouring nodes of a block that have native forms, and the calls that they come to.

`cutting` makes segments; forms (`framework.engine.native.forms`) use the methods of `Segment` to record their nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from framework.engine.native.functions import function
from framework.engine.native.layouts import (
    ARGUMENT,
    CONSTANT,
    OUTPUT,
    PLACE,
    ROOM,
    WEIGHT,
    Base,
    Call,
    ClusterCall,
    Layout,
    rows,
)
from framework.engine.native.rooms import Rooms
from framework.ir.abstract import AbstractTensor
from framework.ir.anf import CNode, Node, Parameter, ValueNode
from framework.ir.operators import LOAD, TUPLE_GETITEM, UPDATE_STATE

__all__ = ["Form", "Neighbourhood", "NoFormError", "Segment"]

MOST_COPIED: Final = 1 << 16
"""A part of an array that others than the segment see is copied, if it has no more bytes than this."""


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


Form = Callable[["Segment", CNode], None]


class Segment:
    """Nodes that run as machine code.

    Args:
        nodes: in the order in which they run.
        around: what is around them.
        form_of: what records a node.
        written: Parameters that have been written before in the block.

    Attributes:
        calls: what the machine code does.
        guards: what has to hold before: calls that return 0 where it does not.
        arguments: for each array that Python gives, its expression and its layout.
        outputs: the layouts of new arrays that Python gives.
        weights: the Parameters that it reads, and whether it writes them.
        constants: arrays and other objects that have to live as long as the code.
        instead: of rooms, outputs that are used instead.
        bound: the Python variables that it sets: an expression for each node that others see.

    Raises:
        NoFormError: one of the nodes has no form after all.
    """

    def __init__(
        self,
        nodes: Sequence[CNode],
        around: Neighbourhood,
        form_of: Callable[[CNode], Form | None],
        written: frozenset[Node],
    ) -> None:
        self.nodes, self.around = list(nodes), around
        self.calls: list[Call | ClusterCall] = []
        self.guards: list[Call] = []
        self.arguments: list[tuple[str, Layout]] = []
        self.outputs: list[Layout] = []
        self.weights: list[tuple[Parameter, bool]] = []
        self.constants: list[Any] = []
        self.bound: dict[CNode, str] = {}
        self._inside = set(nodes)
        self._written_before = written
        self._layouts: dict[Node, Any] = {}
        #: For each of these the place of the node that said so, and for Parameters that of the node that wrote them.
        self._set_at: dict[Node, int] = {}
        self._overwritten: dict[Base, int] = {}
        self._expressions: dict[Layout, str] = {}
        #: Of rooms that hold a copy, or a part, of one array: which.
        self._copied: dict[Base, Base] = {}
        #: Rooms that others see parts of are arrays of their own.
        self.instead: dict[Base, Base] = {}
        self._rooms = Rooms()
        self._node = self.nodes[0]
        for place, node in enumerate(self.nodes):
            self._node, self._place = node, place
            form = form_of(node)
            if form is None:
                raise NoFormError(node)
            form(self, node)
        for node in self.nodes:
            self._node = node
            if self.is_seen(node) and node.operator is not UPDATE_STATE:
                self.bound[node] = self._expression(self.layouts(node))
        self.offsets, self.room_bytes = self._rooms.addresses(self.instead)

    _place = 0

    @property
    def is_worth_it(self) -> bool:
        """Whether it does anything that takes Python longer."""
        return len(self.calls) > 1 or any(isinstance(call, Call) for call in self.calls)

    def is_seen(self, node: Node) -> bool:
        """Whether the value of a node is seen outside of the segment."""
        readers = self.around.readers.get(node, ())
        return node in self.around.outside or any(
            reader not in self._inside and reader.operator is not UPDATE_STATE for reader in readers
        )

    # What forms use.

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

    def whole(self, node: Node) -> Layout:
        """The same for a kernel that wants elements one behind the other: a copy if need be."""
        return self.made_whole(self.layout(node))

    def made_whole(self, layout: Layout) -> Layout:
        """A copy of an array that does not lie row by row."""
        if layout.is_whole:
            return layout
        made = self.room(layout.shape, layout.dtype)
        self.copy(layout, made)
        self._copied[made.base] = layout.base
        return made

    def copy(self, source: Layout, target: Layout) -> None:
        """Copy elements from one layout to another."""
        axes: list[list[int]] = []
        for size, read, written in zip(source.shape, source.strides, target.strides, strict=True):
            if size == 1:
                continue
            if axes and axes[-1][1] == size * read and axes[-1][2] == size * written:
                axes[-1] = [axes[-1][0] * size, read, written]
            else:
                axes.append([size, read, written])
        axes = axes or [[1, 0, 0]]
        numbers = self.numbers([number for axis in axes for number in axis])
        size = source.dtype.itemsize
        self.call("copy_elements", function("copy_elements"), source, target, numbers, len(axes), size,
                  work=source.size)  # fmt: skip

    def numbers(self, given: Sequence[int]) -> int:
        """The address of whole numbers."""
        kept = np.array(given, np.int64)
        self.constants.append(kept)
        return int(kept.ctypes.data)

    def call(self, name: str, address: int, *arguments: Any, tells: bool = False, work: float = 0) -> None:
        """Record a call."""
        self._rooms.use([item for item in arguments if isinstance(item, Layout)], self._place)
        self.calls.append(Call(name, address, arguments, tells, work))

    def call_cluster(self, call: ClusterCall) -> None:
        """Record a call of a generated kernel's loops."""
        self._rooms.use(call.arrays, self._place)
        self.calls.append(call)

    def guard(self, name: str, address: int, *arguments: Any) -> None:
        """Record what has to hold before the segment runs; of arrays it reads those that the segment is given."""
        for item in arguments:
            if isinstance(item, Layout) and item.base.kind not in (ARGUMENT, CONSTANT):
                raise NoFormError(self._node, begins=True)
        self.guards.append(Call(name, address, arguments, tells=True))

    def numbers_fit(self, numbers: Layout, least: int, end: int) -> None:
        """Guard that whole numbers lie from one to before another: labels, indices.

        Of what is a part of a given array, or a copy of one, all of that array has to fit: it is there before.
        """
        base = numbers.base
        while base in self._copied:
            base = self._copied[base]
        if base.kind == ARGUMENT:
            numbers = self.arguments[base.number][1]
        size = numbers.dtype.itemsize
        self.guard("numbers_fit", function("numbers_fit"), numbers, numbers.size, least, end, size)

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

    def _expression(self, layout: Any) -> str:
        """What Python calls an array that the segment has made."""
        if isinstance(layout, tuple):
            return f"({''.join(f'{self._expression(item)}, ' for item in layout)})"
        if layout not in self._expressions:
            if layout.nbytes > MOST_COPIED:
                return self._view(layout)
            made = self._output(layout.shape, layout.dtype)
            self.copy(layout, made)
            return self._expressions[made]
        return self._expressions[layout]

    def _view(self, layout: Layout) -> str:
        """A part of an array of another shape, or in another order, as Python makes it of that array."""
        if layout.base.kind != ROOM:
            raise self.refuse()
        if layout.base not in self.instead:
            whole = self._output((self._rooms.nbytes(layout.base),), np.dtype(np.uint8))
            self.instead[layout.base] = whole.base
        array, constant = f"o{self.instead[layout.base].number}", self.around.constant
        given = (layout.shape, constant(layout.dtype), array, layout.offset, layout.strides)
        return f"{constant(np.ndarray)}({', '.join(map(str, given))})"


def _each(layouts: Any) -> Iterator[Layout]:
    """The layouts in tuples of them."""
    if isinstance(layouts, Layout):
        yield layouts
    else:
        for item in layouts:
            yield from _each(item)
