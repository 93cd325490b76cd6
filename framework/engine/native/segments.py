"""A segment: neighbouring nodes of a block that can be lowered, and the native calls they become.

`partition` makes segments. The lowering of each operator (`framework.engine.native.lowering.table`) records its node
through the methods of `Segment`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np

from framework.engine.native.addresses import loop_address
from framework.engine.native.layouts import (
    ARGUMENT,
    CONSTANT,
    OUTPUT,
    SCRATCH,
    Base,
    Call,
    ClusterCall,
    Layout,
    Layouts,
)
from framework.engine.native.values import BlockContext, NotLowerableError, Values
from framework.ir.anf import CNode, Node
from framework.ir.operators import UPDATE_STATE
from framework.kernels.choices import Kernel

__all__ = ["BlockContext", "Lowering", "NotLowerableError", "Segment"]

MAX_COPIED_BYTES: Final = 1 << 16
"""The most bytes of a view that is copied into an output, if other code reads it; a larger one stays a view."""

Lowering = Callable[["Segment", CNode], None]
"""Records a node in a segment, or raises `NotLowerableError`."""


class DoubleBuffer(NamedTuple):
    """The two buffers of a carried array. Iterations write into them in turns, the last one into the output.

    Attributes:
        argument: the number of the argument with the array of the first iteration; None if iterations do not read it.
        output: the number of the output.
        spare: the scratch buffer.
    """

    argument: int | None
    output: int
    spare: Layout


class Segment(Values):
    """Nodes that run as machine code.

    Args:
        nodes: the nodes, in the order in which they run.
        context: the code around them.
        lowering_of: returns the lowering of a node.
        written: Parameters that earlier nodes of the block have written.
        carried: for a segment that runs several iterations of a loop: for each array that changes from one iteration to
            the next, the node that computes its next value.

    Attributes:
        calls: the native calls, in each iteration.
        call_nodes: for each of them, the node that it belongs to.
        double_buffers: the buffers of each carried array.
        guards: calls that are made first. They return 0 if the fallback has to run.
        promoted: for scratch buffers that other code sees parts of, the outputs that are used instead.
        results: for each node that other code reads, the Python expression of its value.
        offsets: the offset of each scratch buffer, in bytes.
        scratch_bytes: the size of the scratch memory.

    Raises:
        NotLowerableError: one of the nodes cannot be lowered.
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
        self.call_nodes: list[CNode] = []
        self.guards: list[Call] = []
        self.results: dict[CNode, str] = {}
        #: For scratch buffers with a copy of another array, or of a part of it, that array.
        self._copy_sources: dict[Base, Base] = {}
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

    def _double_buffer(self, given: Node, made: CNode, spare: Layout) -> DoubleBuffer:
        """The buffers of a carried array.

        Args:
            given: the parameter of the loop.
            made: the node that computes its next value.
            spare: the scratch buffer.
        """
        self._node = made
        output = self._whole_output(made, spare)
        read = self._layouts.get(given)
        if read is None:
            return DoubleBuffer(None, output.base.number, spare)
        # A guard would check the array of the first iteration only.
        guarded = {item.base for guard in self.guards for item in guard.arguments if isinstance(item, Layout)}
        if not isinstance(read, Layout) or read.base.kind != ARGUMENT or read.base in guarded:
            raise self.cannot_lower()
        return DoubleBuffer(read.base.number, output.base.number, spare)

    def _whole_output(self, node: CNode, spare: Layout) -> Layout:
        """The layout of a node, which has to be an output of its own with the shape and strides of the spare buffer."""
        layout = self.layouts(node)
        others = [self._layouts.get(other) for other in self.results if other is not node]
        if not isinstance(layout, Layout) or layout.base.kind != OUTPUT or layout in others:
            raise self.cannot_lower()
        if layout != replace(spare, base=layout.base):
            raise self.cannot_lower()
        return layout

    @property
    def work(self) -> float:
        """The approximate number of arithmetic operations in one iteration."""
        return sum(call.work for call in self.calls)

    @property
    def is_profitable(self) -> bool:
        """Whether it is faster than Python's calls."""
        return len(self.calls) > 1 or any(isinstance(call, Call) for call in self.calls)

    # The interface of lowerings

    def require_float32(self, kernel: Kernel, *layouts: Layout) -> None:
        """Refuse the node unless a kernel of the compiled loops is on and all arrays are Float32."""
        if not kernel.is_fast or any(item.dtype != np.float32 for item in layouts):
            raise self.cannot_lower()

    def contiguous(self, node: Node) -> Layout:
        """The layout of a node's value, contiguous; a copy if need be."""
        return self.as_contiguous(self.layout(node))

    def as_contiguous(self, layout: Layout) -> Layout:
        """A contiguous layout of an array; a copy if need be."""
        if layout.is_contiguous:
            return layout
        made = self.scratch(layout.shape, layout.dtype)
        self.copy(layout, made)
        self._copy_sources[made.base] = layout.base
        return made

    def copy(self, source: Layout, target: Layout) -> None:
        """Record the copy of elements from one layout to another."""
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
        self._record(Call(name, address, arguments, returns_status, work))

    def call_cluster(self, call: ClusterCall) -> None:
        """Record a call of a generated kernel's loops."""
        self._scratch.use(call.arrays, self._place)
        self._record(call)

    def _record(self, call: Call | ClusterCall) -> None:
        self.calls.append(call)
        self.call_nodes.append(self._node)

    def guard(self, name: str, address: int, *arguments: Any) -> None:
        """Record a call that decides whether the segment runs. It can only read arguments and constants."""
        for item in arguments:
            if isinstance(item, Layout) and item.base.kind not in (ARGUMENT, CONSTANT):
                raise NotLowerableError(self._node, may_begin_segment=True)
        self.guards.append(Call(name, address, arguments, returns_status=True))

    def guard_range(self, numbers: Layout, least: int, end: int) -> None:
        """Record the guard that integers, such as labels or indices, are at least `least` and less than `end`.

        For a part or a copy of an argument, all of the argument is checked, because a guard runs before any copy.
        """
        base = numbers.base
        while base in self._copy_sources:
            base = self._copy_sources[base]
        if base.kind == ARGUMENT:
            numbers = self.arguments[base.number][1]
        size = numbers.dtype.itemsize
        self.guard("numbers_fit", loop_address("numbers_fit"), numbers, numbers.size, least, end, size)

    def _expression(self, layout: Layouts) -> str:
        """The Python expression of a value that the segment has computed."""
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
        """The Python expression of a view of a scratch buffer, which becomes an output."""
        if layout.base.kind != SCRATCH:
            raise self.cannot_lower()
        if layout.base not in self.promoted:
            total = self._output((self._scratch.nbytes(layout.base),), np.dtype(np.uint8))
            self.promoted[layout.base] = total.base
        array, constant = f"o{self.promoted[layout.base].number}", self.context.constant
        given = (layout.shape, constant(layout.dtype), array, layout.offset, layout.strides)
        return f"{constant(np.ndarray)}({', '.join(map(str, given))})"
