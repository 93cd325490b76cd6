"""A segment: neighbouring nodes of a block that can be lowered, and the native calls they become.

`partition` makes segments. The lowering of each operator (`framework.engine.native.lowering.table`) records its node
through the methods of `Segment`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from framework.engine.native.functions import function
from framework.engine.native.layouts import ARGUMENT, CONSTANT, OUTPUT, ROOM, Base, Call, ClusterCall, Layout
from framework.engine.native.values import Neighbourhood, NoFormError, Values
from framework.ir.anf import CNode, Node
from framework.ir.operators import UPDATE_STATE
from framework.kernels.choices import Kernel

__all__ = ["Form", "Neighbourhood", "NoFormError", "Segment"]

MOST_COPIED: Final = 1 << 16
"""A part of an array that others than the segment see is copied, if it has no more bytes than this."""


Form = Callable[["Segment", CNode], None]


class Segment(Values):
    """Nodes that run as machine code.

    Args:
        nodes: in the order in which they run.
        around: what is around them.
        form_of: what records a node.
        written: Parameters that have been written before in the block.
        carried: if it goes through several rounds at once, for each array that a round is given, and that the next one
            is given another of, the node that makes that.

    Attributes:
        calls: what the machine code does, in each round.
        swapped: of each carried array the number of the argument, None where rounds do not read it; that of the
            output; and a room. Rounds write into output and room by turns, the last one into the output.
        guards: what has to hold before: calls that return 0 where it does not.
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
        carried: Mapping[Node, CNode] = MappingProxyType({}),
    ) -> None:
        super().__init__(nodes, around, written)
        rooms = [self.room(*self._type(given.abstract)) for given in carried]
        self.calls: list[Call | ClusterCall] = []
        self.guards: list[Call] = []
        self.bound: dict[CNode, str] = {}
        #: Of rooms that hold a copy, or a part, of one array: which.
        self._copied: dict[Base, Base] = {}
        #: Rooms that others see parts of are arrays of their own.
        self.instead: dict[Base, Base] = {}
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
        if carried and set(self.bound) != set(carried.values()):
            raise self.refuse()
        self._rooms.use(rooms, len(self.nodes))
        self.swapped = [self._swapped(*pair, room) for pair, room in zip(carried.items(), rooms, strict=True)]
        self.offsets, self.room_bytes = self._rooms.addresses(self.instead)

    def _swapped(self, given: Node, made: CNode, room: Layout) -> tuple[int | None, int, Layout]:
        """How one carried array goes from round to round."""
        self._node = made
        read, written = self._layouts.get(given), self.layouts(made)
        is_own = isinstance(written, Layout) and written.base.kind == OUTPUT and not written.offset
        is_alike = is_own and (written.shape, written.dtype, written.strides) == (room.shape, room.dtype, room.strides)
        others = [self._layouts.get(node) for node in self.bound if node is not made]
        if not is_alike or written in others or (read is not None and read.base.kind != ARGUMENT):
            raise self.refuse()
        bases = {item.base for guard in self.guards for item in guard.arguments if isinstance(item, Layout)}
        if read is not None and read.base in bases:
            # What it holds was looked at for the first round alone.
            raise self.refuse()
        return None if read is None else read.base.number, written.base.number, room

    @property
    def work(self) -> float:
        """About how many arithmetic operations it does, in one round."""
        return sum(call.work for call in self.calls)

    @property
    def is_worth_it(self) -> bool:
        """Whether it does anything that takes Python longer."""
        return len(self.calls) > 1 or any(isinstance(call, Call) for call in self.calls)

    # What forms use.

    def need_floats(self, kernel: Kernel, *layouts: Layout) -> None:
        """Refuse what a kernel of the compiled loops does not do."""
        if not kernel.is_fast or any(item.dtype != np.float32 for item in layouts):
            raise self.refuse()

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
