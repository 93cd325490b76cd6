"""Compiles segments to machine code: one llvmlite module per program, one Python-callable function per segment.

`entry(self, arguments, count)` gets a table with the addresses of the scratch memory and of the places of the memory
plan, then the arrays that it reads, then those that it writes. It checks its inputs as generated kernels do
(`framework.kernels.fused.arrays`). If one is not what the segment was compiled for, it returns None and does nothing.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, Final

from framework.common import abi, threads
from framework.common.tensor import Tensor
from framework.engine.native.addresses import loops_version
from framework.engine.native.layouts import (
    ARGUMENT,
    CONSTANT,
    OUTPUT,
    PLACE,
    SCRATCH,
    WEIGHT,
    Base,
    Call,
    ClusterCall,
    Layout,
)
from framework.engine.native.slices import SliceWriter, sites_of
from framework.ir.anf import Node
from framework.kernels import choices
from framework.kernels.fused import version as llvm_version
from framework.kernels.fused.compiling import callable_at, engine_of, object_of

if TYPE_CHECKING:
    from llvmlite import ir

    from framework.engine.native.segments import Segment

__all__ = ["SegmentFunction", "make_functions", "version"]

SegmentFunction = Callable[..., Any]
_RELEASE_GIL_FROM: Final = 3e5
"""The arithmetic operations from which a segment releases the GIL, so that other Python threads run."""
_WORD: Final = 8
"""The bytes of a pointer."""


def version() -> str:
    """The version of the library that compiles segments.

    Raises:
        ImportError: a library that they need is missing; the message names it.
    """
    loops_version()
    made = llvm_version()
    abi.slot_offset(Tensor, "_data")
    return made


def make_functions(
    segments: Sequence[Segment], held: Collection[Node], *, captured: bool = False
) -> list[SegmentFunction]:
    """Compile all segments of a program.

    Args:
        segments: the segments.
        held: the nodes of Parameters whose arrays the Python code holds while it runs.
        captured: whether each call is recorded as a slice (`framework.tracing`).

    Returns:
        A function for each segment.
    """
    from llvmlite import ir

    module = ir.Module("segments")
    addresses: dict[str, int] = {}
    for number, segment in enumerate(segments):
        _SegmentWriter(module, f"entry{number}", segment, held, addresses, captured=captured).write()
    _add_symbols(addresses)
    engine = engine_of(object_of(module))
    return [callable_at(engine.get_function_address(f"entry{number}")) for number in range(len(segments))]


def _add_symbols(addresses: dict[str, int]) -> None:
    import llvmlite.binding as llvm

    for name, address in addresses.items():
        llvm.add_symbol(name, address)


class _SegmentWriter:
    """Writes the function of one segment."""

    def __init__(
        self,
        module: ir.Module,
        name: str,
        segment: Segment,
        held: Collection[Node],
        addresses: dict[str, int],
        *,
        captured: bool = False,
    ) -> None:
        from llvmlite import ir

        from framework.kernels.fused.arrays import ArrayReader
        from framework.kernels.fused.loops import I64, POINTER

        self.ir, self.i64, self.pointer = ir, I64, POINTER
        self.module, self.segment, self.held, self.addresses = module, segment, held, addresses
        self.function = ir.Function(module, ir.FunctionType(POINTER, [POINTER, POINTER, I64]), name)
        self.builder = ir.IRBuilder(self.function.append_basic_block("entry"))
        fallback = self.function.append_basic_block("otherwise")
        self.reader = ArrayReader(self.builder, fallback, self.function.args[0])
        #: The address of each piece of memory.
        self.bases: dict[Base, ir.Value] = {}
        #: The arrays of Parameters, as Python objects.
        self.arrays: list[ir.Value] = []
        self._sites = sites_of(segment) if captured else []
        self._slices: SliceWriter | None = None

    def write(self) -> None:
        """Write the function."""
        builder, reader, segment = self.builder, self.reader, self.segment
        tables = [len(call.arrays) + len(call.strides) for call in segment.calls if isinstance(call, ClusterCall)]
        self.table = builder.alloca(self.pointer, max(tables, default=1))
        for chosen in (choices.CHOSEN, threads.CHOSEN):
            now = builder.load(self._constant(ctypes.addressof(chosen)), typ=self.i64)
            reader.expect(builder.icmp_signed("==", now, self.ir.Constant(self.i64, chosen.value)))
        self._read_inputs()
        for guard in segment.guards:
            self._check_guard(guard)
        is_long = segment.work >= _RELEASE_GIL_FROM or bool(segment.double_buffers)
        state = self._release_gil() if is_long else None
        if self._sites:
            self._slices = SliceWriter(builder, reader)
        statuses = self._loop() if segment.double_buffers else self._calls()
        if is_long:
            reader.acquire_gil(state)
            for item in self.arrays:
                builder.call(reader.external("Py_DecRef", self.ir.VoidType(), [self.pointer]), [item])
        self._end([item for item in statuses if item is not None])

    def _read_inputs(self) -> None:
        """Check the arrays that are passed in, and load all addresses."""
        reader, segment = self.reader, self.segment
        given = self.function.args[1]
        table = self.places = reader.data(reader.loaded(given, 0, self.pointer))
        objects = [
            reader.loaded(given, _WORD * place, self.pointer)
            for place in range(1, 1 + len(segment.arguments) + len(segment.outputs))
        ]
        if segment.double_buffers:
            number = reader.loaded(given, _WORD * (1 + len(objects)), self.pointer)
            read = reader.external("PyLong_AsLongLong", self.i64, [self.pointer])
            self.count = self.builder.call(read, [number])
        for number, ((_, layout), item) in enumerate(zip(segment.arguments, objects, strict=False)):
            reader.check(item, layout.dtype.name, layout.shape)
            self.bases[Base(ARGUMENT, number)] = reader.data(item)
        for number, item in enumerate(objects[len(segment.arguments) :]):
            self.bases[Base(OUTPUT, number)] = reader.data(item)
        for number, (weight, is_written) in enumerate(segment.weights):
            item = reader.loaded(self._constant(id(weight.default)), abi.slot_offset(Tensor, "_data"), self.pointer)
            layout = segment.weight(weight)
            reader.check(item, layout.dtype.name, layout.shape)
            if is_written:
                reader.check_owned(item, abi.HELD_ONCE + (weight in self.held))
            self.bases[Base(WEIGHT, number)] = reader.data(item)
            self.arrays.append(item)
        for layout in self._layouts():
            kind, number = layout.base.kind, layout.base.number
            if layout.base in self.bases:
                continue
            if kind == CONSTANT:
                self.bases[layout.base] = self._constant(number)
            elif kind == PLACE:
                self.bases[layout.base] = reader.loaded(table, _WORD * (1 + number), self.pointer)
            elif layout.base in segment.promoted:
                self.bases[layout.base] = self.bases[segment.promoted[layout.base]]
            else:
                assert kind == SCRATCH  # noqa: S101
                scratch = reader.loaded(table, 0, self.pointer)
                self.bases[layout.base] = reader.at(scratch, segment.offsets[number])

    def _loop(self) -> list[ir.Value]:
        """Write the loop over iterations, in which each reads the arrays that the last one wrote; returns statuses."""
        builder, int64 = self.builder, self._int64
        scratch = self.reader.loaded(self.places, 0, self.pointer)
        is_odd = builder.icmp_signed("!=", builder.and_(self.count, int64(1)), int64(0))
        before, head, after = builder.block, *map(self.function.append_basic_block, ("iteration", "after"))
        buffers = []
        for argument, output, spare in self.segment.double_buffers:
            made = self.bases[Base(OUTPUT, output)]
            other = self.reader.at(scratch, self.segment.offsets[spare.base.number])
            buffers.append((argument, output, made, other, builder.select(is_odd, made, other)))
        builder.branch(head)
        builder.position_at_end(head)
        iteration = builder.phi(self.i64)
        iteration.add_incoming(int64(0), before)
        reads, writes = [], []
        for argument, output, made, other, first in buffers:
            written = builder.phi(self.pointer)
            written.add_incoming(first, before)
            self.bases[Base(OUTPUT, output)] = written
            if argument is not None:
                read = builder.phi(self.pointer)
                read.add_incoming(self.bases[Base(ARGUMENT, argument)], before)
                self.bases[Base(ARGUMENT, argument)] = read
                reads.append((read, written))
            writes.append((written, made, other))
        if self._slices is not None:
            self._slices.begin()
        statuses = [item for item in self._calls() if item is not None]
        following_iteration = builder.add(iteration, int64(1))
        continues = builder.icmp_signed("<", following_iteration, self.count)
        for item in statuses:
            continues = builder.and_(
                continues, builder.icmp_signed("!=", item, self.ir.Constant(self.ir.IntType(32), 0))
            )
        swapped = [self._other_buffer(*addresses) for addresses in writes]
        following = [
            (iteration, following_iteration),
            *reads,
            *((written, other) for (written, _, _), other in zip(writes, swapped, strict=True)),
        ]
        for phi, value in following:
            phi.add_incoming(value, builder.block)
        builder.cbranch(continues, head, after)
        builder.position_at_end(after)
        return statuses

    def _other_buffer(self, current: ir.Value, one: ir.Value, other: ir.Value) -> ir.Value:
        """The one of two addresses that is not the current one."""
        return self.builder.select(self.builder.icmp_unsigned("==", current, one), other, one)

    def _layouts(self) -> list[Layout]:
        """The layouts that guards and calls use."""
        calls = [*self.segment.guards, *self.segment.calls]
        given = [call.arrays if isinstance(call, ClusterCall) else call.arguments for call in calls]
        return [item for items in given for item in items if isinstance(item, Layout)]

    def _release_gil(self) -> ir.Value:
        """Write the release of the GIL; returns the thread state that takes it again."""
        for item in self.arrays:
            # Another thread may give the Parameter a new array; this one has to stay alive.
            self.builder.call(self.reader.external("Py_IncRef", self.ir.VoidType(), [self.pointer]), [item])
        return self.reader.release_gil()

    def _check_guard(self, guard: Call) -> None:
        self.reader.expect(self.builder.icmp_signed("!=", self._call(guard), self.ir.Constant(self.ir.IntType(32), 0)))

    def _calls(self) -> list[ir.Value | None]:
        """Write all calls, with the clock reads of a capture; returns the status of each that has one."""
        statuses = []
        for number, call in enumerate(self.segment.calls):
            statuses.append(self._call(call))
            if self._slices is not None:
                self._slices.end(self._sites[number])
        return statuses

    def _call(self, call: Call | ClusterCall) -> ir.Value | None:
        """Write a call; returns its status, if it has one."""
        ir, builder = self.ir, self.builder
        if isinstance(call, ClusterCall):
            for place, item in enumerate([*map(self._address, call.arrays), *map(self._int64, call.strides)]):
                builder.store(item, self.reader.at(self.table, _WORD * place))
            run = self._external(call.address, ir.VoidType(), [self.pointer, self.i64, self.i64])
            builder.call(run, [self.table, self._int64(call.length), self._int64(call.elements)])
            return None
        given = [self._argument(item) for item in call.arguments]
        returned = ir.IntType(32) if call.returns_status else ir.VoidType()
        called = builder.call(self._external(call.address, returned, [item.type for item in given]), given)
        return called if call.returns_status else None

    def _argument(self, item: Layout | int | float) -> ir.Value:
        if isinstance(item, Layout):
            return self._address(item)
        # A C function with an `int` takes the lower half.
        return self.ir.Constant(self.ir.FloatType(), item) if isinstance(item, float) else self._int64(item)

    def _address(self, layout: Layout) -> ir.Value:
        base = self.bases[layout.base]
        return self.reader.at(base, layout.offset) if layout.offset else base

    def _int64(self, number: int) -> ir.Constant:
        return self.ir.Constant(self.i64, number)

    def _constant(self, address: int) -> ir.Value:
        return self.builder.inttoptr(self._int64(address), self.pointer)

    def _external(self, address: int, returned: ir.Type, arguments: list[ir.Type]) -> ir.Function:
        """The declaration of a C function at an address."""
        name = f"at_{address:x}_{len(arguments)}"
        self.addresses[name] = address
        known = self.module.globals.get(name)
        return known or self.ir.Function(self.module, self.ir.FunctionType(returned, arguments), name)

    def _end(self, statuses: list[ir.Value]) -> None:
        """Write the end: return the table of addresses, or raise MemoryError if a kernel failed."""
        ir, builder = self.ir, self.builder
        if statuses:
            good = ir.Constant(ir.IntType(1), 1)
            for item in statuses:
                good = builder.and_(good, builder.icmp_signed("!=", item, ir.Constant(ir.IntType(32), 0)))
            failed = self.function.append_basic_block("failed")
            after = self.function.append_basic_block("done")
            builder.cbranch(good, after, failed)
            builder.position_at_end(failed)
            error = self.reader.external("PyErr_NoMemory", self.pointer, [])
            builder.ret(builder.call(error, []))
            builder.position_at_end(after)
        self.reader.give_back(self.reader.loaded(self.function.args[1], 0, self.pointer))
        self.reader.give_back_none()
