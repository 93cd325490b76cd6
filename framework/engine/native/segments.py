"""A segment: neighbouring nodes of a block that can be lowered, and the native calls they become.

`partition` makes segments. The lowering of each operator (`framework.engine.native.lowering.table`) records its node
through the methods of `Segment`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from framework.engine.native.addresses import loop_address
from framework.engine.native.layouts import ARGUMENT, CONSTANT, OUTPUT, SCRATCH, Base, Call, ClusterCall, Layout
from framework.engine.native.values import BlockContext, NotLowerableError, Values
from framework.ir.anf import CNode, Node
from framework.ir.operators import UPDATE_STATE
from framework.kernels.choices import Kernel

__all__ = ["BlockContext", "Lowering", "NotLowerableError", "Segment"]

MAX_COPIED_BYTES: Final = 1 << 16
"""A part of an array that others than the segment see is copied, if it has no more bytes than this."""


Lowering = Callable[["Segment", CNode], None]


class Segment(Values):
    """Nodes that run as machine code.

    Args:
        nodes: in the order in which they run.
        context: what is around them.
        lowering_of: what records a node.
        overwrite_parameter: Parameters that have been written before in the block.
        carried: if it goes through several rounds at once, for each array that a round is given, and that the next one
            is given another of, the node that makes that.

    Attributes:
        calls: what the machine code does, in each round.
        double_buffers: of each carried array the number of the argument, None where rounds do not read it; that of the
            output; and a room. Rounds write into output and room by turns, the last one into the output.
        guards: what has to hold before: calls that return 0 where it does not.
        promoted: of rooms, outputs that are used instead.
        results: the Python variables that it sets: an expression for each node that others see.

    Raises:
        NotLowerableError: one of the nodes has no form after all.
    """

    def __init__(
        self,
        nodes: Sequence[CNode],
        context: BlockContext,
        lowering_of: Callable[[CNode], Lowering | None],
        written: frozenset[Node],
        carried: Mapping[Node, CNode] = MappingProxyType({}),
    ) -> None:
        super().__init__(nodes, context, written)
        spares = [self.scratch(*self._type(given.abstract)) for given in carried]
        self.calls: list[Call | ClusterCall] = []
        self.guards: list[Call] = []
        self.results: dict[CNode, str] = {}
        #: Of rooms that hold a copy, or a part, of one array: which.
        self._copy_sources: dict[Base, Base] = {}
        #: Rooms that others see parts of are arrays of their own.
        self.promoted: dict[Base, Base] = {}
        for place, node in enumerate(self.nodes):
            self._node, self._place = node, place
            lowering = lowering_of(node)
            if lowering is None:
                raise NotLowerableError(node)
            lowering(self, node)
        for node in self.nodes:
            self._node = node
            if self.is_live_out(node) and node.operator is not UPDATE_STATE:
                self.results[node] = self._expression(self.layouts(node))
        if carried and set(self.results) != set(carried.values()):
            raise self.cannot_lower()
        self._scratch.use(spares, len(self.nodes))
        self.double_buffers = [
            self._double_buffer(*pair, buffer) for pair, buffer in zip(carried.items(), spares, strict=True)
        ]
        self.offsets, self.scratch_bytes = self._scratch.offsets(self.promoted)

    def _double_buffer(self, given: Node, made: CNode, buffer: Layout) -> tuple[int | None, int, Layout]:
        """How one carried array goes from round to round."""
        self._node = made
        read, written = self._layouts.get(given), self.layouts(made)
        is_own = isinstance(written, Layout) and written.base.kind == OUTPUT and not written.offset
        is_alike = is_own and (written.shape, written.dtype, written.strides) == (
            buffer.shape,
            buffer.dtype,
            buffer.strides,
        )
        others = [self._layouts.get(node) for node in self.results if node is not made]
        if not is_alike or written in others or (read is not None and read.base.kind != ARGUMENT):
            raise self.cannot_lower()
        bases = {item.base for guard in self.guards for item in guard.arguments if isinstance(item, Layout)}
        if read is not None and read.base in bases:
            # What it holds was looked at for the first round alone.
            raise self.cannot_lower()
        return None if read is None else read.base.number, written.base.number, buffer

    @property
    def work(self) -> float:
        """About how many arithmetic operations it does, in one round."""
        return sum(call.work for call in self.calls)

    @property
    def is_profitable(self) -> bool:
        """Whether it does anything that takes Python longer."""
        return len(self.calls) > 1 or any(isinstance(call, Call) for call in self.calls)

    # What forms use.

    def require_float32(self, kernel: Kernel, *layouts: Layout) -> None:
        """Refuse what a kernel of the compiled loops does not do."""
        if not kernel.is_fast or any(item.dtype != np.float32 for item in layouts):
            raise self.cannot_lower()

    def contiguous(self, node: Node) -> Layout:
        """The same for a kernel that wants elements one behind the other: a copy if need be."""
        return self.as_contiguous(self.layout(node))

    def as_contiguous(self, layout: Layout) -> Layout:
        """A copy of an array that does not lie row by row."""
        if layout.is_contiguous:
            return layout
        made = self.scratch(layout.shape, layout.dtype)
        self.copy(layout, made)
        self._copy_sources[made.base] = layout.base
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
        numbers = self.int64_array([number for axis in axes for number in axis])
        size = source.dtype.itemsize
        self.call("copy_elements", loop_address("copy_elements"), source, target, numbers, len(axes), size,
                  work=source.size)  # fmt: skip

    def call(self, name: str, address: int, *arguments: Any, returns_status: bool = False, work: float = 0) -> None:
        """Record a call."""
        self._scratch.use([item for item in arguments if isinstance(item, Layout)], self._place)
        self.calls.append(Call(name, address, arguments, returns_status, work))

    def call_cluster(self, call: ClusterCall) -> None:
        """Record a call of a generated kernel's loops."""
        self._scratch.use(call.arrays, self._place)
        self.calls.append(call)

    def guard(self, name: str, address: int, *arguments: Any) -> None:
        """Record what has to hold before the segment runs; of arrays it reads those that the segment is given."""
        for item in arguments:
            if isinstance(item, Layout) and item.base.kind not in (ARGUMENT, CONSTANT):
                raise NotLowerableError(self._node, may_begin_segment=True)
        self.guards.append(Call(name, address, arguments, returns_status=True))

    def guard_range(self, numbers: Layout, least: int, end: int) -> None:
        """Guard that whole numbers lie from one to before another: labels, indices.

        Of what is a part of a given array, or a copy of one, all of that array has to fit: it is there before.
        """
        base = numbers.base
        while base in self._copy_sources:
            base = self._copy_sources[base]
        if base.kind == ARGUMENT:
            numbers = self.arguments[base.number][1]
        size = numbers.dtype.itemsize
        self.guard("numbers_fit", loop_address("numbers_fit"), numbers, numbers.size, least, end, size)

    def _expression(self, layout: Any) -> str:
        """What Python calls an array that the segment has made."""
        if isinstance(layout, tuple):
            return f"({''.join(f'{self._expression(item)}, ' for item in layout)})"
        if layout not in self._expressions:
            if layout.nbytes > MAX_COPIED_BYTES:
                return self._view(layout)
            made = self._output(layout.shape, layout.dtype)
            self.copy(layout, made)
            return self._expressions[made]
        return self._expressions[layout]

    def _view(self, layout: Layout) -> str:
        """A part of an array of another shape, or in another order, as Python makes it of that array."""
        if layout.base.kind != SCRATCH:
            raise self.cannot_lower()
        if layout.base not in self.promoted:
            total = self._output((self._scratch.nbytes(layout.base),), np.dtype(np.uint8))
            self.promoted[layout.base] = total.base
        array, constant = f"o{self.promoted[layout.base].number}", self.context.constant
        given = (layout.shape, constant(layout.dtype), array, layout.offset, layout.strides)
        return f"{constant(np.ndarray)}({', '.join(map(str, given))})"
