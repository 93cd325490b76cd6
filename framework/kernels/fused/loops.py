"""Writes the loops of a cluster as LLVM IR, over its elements, a vector at a time.

They are a function `body(table, begin, end)`, which does a part of the outermost loop, from `begin` up to but without
`end`. The table has the addresses of the arrays, first of those to read, and then the strides, in bytes, that are known
only when the kernel runs.

Sums add up computed rows in numpy's order, so they are numpy's to the bit.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Final

import numpy as np
from llvmlite import ir

from framework.kernels.fused.cluster import ANY, Cluster, Number, Output, Stride, axes_read, read_strides
from framework.kernels.fused.expressions import lowered
from framework.kernels.fused.lanes import Lanes
from framework.kernels.fused.sums import pairwise
from framework.kernels.fused.supported import APPROXIMATED

__all__ = ["BODY", "I64", "POINTER", "integer", "write_body"]

I64, POINTER = ir.IntType(64), ir.PointerType()
BODY: Final = ir.FunctionType(ir.VoidType(), [POINTER, I64, I64])
_BYTE: Final = ir.IntType(8)
TOGETHER, TOGETHER_IN_ROWS = 8, 4
"""A polynomial is a chain of operations that wait for each other. A single one is short enough that the processor
begins the next vector's before it ends. With several polynomials, so many vectors are computed side by side: one goes
on while others wait. Fewer do for rows of broadcast operands, which are mostly short and take longer to compile."""
_MEMORY: Final[dict[str, ir.Type]] = {
    "bool": _BYTE,
    "int32": ir.IntType(32),
    "int64": I64,
    "float32": ir.FloatType(),
    "float64": ir.DoubleType(),
}


def integer(number: int) -> ir.Constant:
    """A constant of 64 bits."""
    return ir.Constant(I64, number)


def write_body(cluster: Cluster, width: int, function: ir.Function) -> None:
    """Write the loops.

    Args:
        cluster: what to compute.
        width: elements per vector.
        function: of the type `BODY`, to write them into.
    """
    _Body(cluster, width, function).write()


class _Body:
    """Writes `body`."""

    def __init__(self, cluster: Cluster, width: int, function: ir.Function) -> None:
        self.cluster = cluster
        self.width = width
        self.function = function
        self.lengths, self.strides = axes_read(cluster)
        dtypes = [item.dtype for item in cluster.inputs]
        self.dtypes = [*dtypes, *(step.dtype for step in cluster.steps)]
        arrays = [*dtypes, *(self.dtypes[output.value] for output in cluster.outputs)]
        #: The bytes of an element of each array.
        self.sizes = [np.dtype(dtype).itemsize for dtype in arrays]
        self.builder = ir.IRBuilder(function.append_basic_block("entry"))
        plain = {output.value for output in cluster.outputs if not output.reduction}
        #: Room for the rows that are only added up and written to no array.
        self.rows = {
            output.value: self._room(_MEMORY[self.dtypes[output.value]])
            for output in cluster.outputs
            if output.reduction and output.value not in plain
        }

    def write(self) -> None:
        """Write everything."""
        table, begin, end = self.function.args
        count = len(self.cluster.inputs) + len(self.cluster.outputs)
        self.pointers = [self._loaded(table, place, POINTER) for place in range(count)]
        names = read_strides(self.cluster)[0]
        self.read = {name: self._loaded(table, count + place, I64) for place, name in enumerate(names)}
        self._loop(0, [integer(0)] * count, begin, end)
        self.builder.ret_void()

    def _room(self, kind: ir.Type) -> ir.Value:
        made = self.builder.alloca(kind, self.lengths[-1])
        return self.builder.inttoptr(self.builder.ptrtoint(made, I64), POINTER)

    def _loaded(self, table: ir.Value, place: int, kind: ir.Type) -> ir.Value:
        return self.builder.load(self.builder.gep(table, [integer(place)], source_etype=I64), typ=kind)

    def _loop(self, level: int, offsets: list[ir.Value], begin: ir.Value, end: ir.Value) -> None:
        """The loop of a level and those inside it; `offsets` has the offset of each array in bytes."""
        if level < len(self.lengths) - 1:
            self._each(begin, end, 1, lambda index: self._inner(level, offsets, index))
            return
        for width in self._widths(level):
            rest = self.builder.srem(self.builder.sub(end, begin), integer(width))
            whole = self.builder.sub(end, rest) if width > 1 else end
            self._each(begin, whole, width, functools.partial(self._elements, level, offsets, width=width))
            begin = whole
        for number, output in enumerate(self.cluster.outputs, len(self.cluster.inputs)):
            if output.reduction:
                self._write_sum(number, output, offsets)

    def _widths(self, level: int) -> list[int]:
        """How many elements are computed at a time: first many, then fewer for the rest."""
        polynomials = sum(2 if step.name == "Softplus" else step.name in APPROXIMATED for step in self.cluster.steps)
        is_flat = self.cluster.shape == ANY
        together = TOGETHER if is_flat else TOGETHER_IN_ROWS
        widths = [self.width * together, self.width, 1] if polynomials > 1 else [self.width, 1]
        return [width for width in widths if is_flat or width <= max(self.lengths[level], 1)]

    def _inner(self, level: int, offsets: list[ir.Value], index: ir.Value) -> None:
        here = self._moved(level, offsets, index)
        self._loop(level + 1, here, integer(0), integer(self.lengths[level + 1]))

    def _moved(self, level: int, offsets: list[ir.Value], index: ir.Value) -> list[ir.Value]:
        builder = self.builder
        return [
            builder.add(offset, builder.mul(index, self._bytes(level, number, stride))) if stride else offset
            for number, (offset, stride) in enumerate(zip(offsets, self.strides[level], strict=True))
        ]

    def _bytes(self, level: int, number: int, stride: Stride) -> ir.Value:
        if isinstance(stride, int):
            return integer(stride * self.sizes[number])
        # The innermost loop goes from element to element: nothing else comes here.
        return integer(self.sizes[number]) if level == len(self.lengths) - 1 else self.read[stride]

    def _each(self, begin: ir.Value, end: ir.Value, step: int, inside: Callable[[ir.Value], None]) -> None:
        """`for index in range(begin, end, step)`."""
        builder, before = self.builder, self.builder.block
        head, work, after = (self.function.append_basic_block(name) for name in ("head", "work", "after"))
        builder.branch(head)
        builder.position_at_end(head)
        index = builder.phi(I64)
        index.add_incoming(begin, before)
        builder.cbranch(builder.icmp_signed("<", index, end), work, after)
        builder.position_at_end(work)
        inside(index)
        index.add_incoming(builder.add(index, integer(step)), builder.block)
        builder.branch(head)
        builder.position_at_end(after)

    def _elements(self, level: int, offsets: list[ir.Value], index: ir.Value, width: int) -> None:
        """The steps for `width` elements from an index on."""
        lanes = Lanes(self.builder, width)
        places = self._moved(level, offsets, index)
        strides = self.strides[level]
        values = [
            self._read(lanes, item.dtype, number, places[number], strides[number])
            for number, item in enumerate(self.cluster.inputs)
        ]
        for step in self.cluster.steps:
            given = [
                self._operand(lanes, values, operand, "bool" if (step.name, place) == ("Select", 0) else step.meets)
                for place, operand in enumerate(step.operands)
            ]
            values.append(lowered(lanes, step.name, step.meets, given))
        for number, output in enumerate(self.cluster.outputs, len(self.cluster.inputs)):
            if not output.reduction:
                self._write(lanes, self.dtypes[output.value], values[output.value], number, places[number])
        for value, row in self.rows.items():
            size = np.dtype(self.dtypes[value]).itemsize
            address = self.builder.gep(row, [self.builder.mul(index, integer(size))], source_etype=_BYTE)
            self.builder.store(values[value], address, align=size)

    def _write_sum(self, number: int, output: Output, offsets: list[ir.Value]) -> None:
        """Write the sum or the mean of a row."""
        builder, dtype, length = self.builder, self.dtypes[output.value], self.lengths[-1]
        row = self.rows.get(output.value)
        if row is None:
            plain = next(
                at for at, one in enumerate(self.cluster.outputs) if one.value == output.value and not one.reduction
            )
            plain += len(self.cluster.inputs)
            row = self._address(plain, offsets[plain])
        total = builder.call(pairwise(self.function.module, dtype), [row, integer(length)])
        total = builder.fadd(ir.Constant(total.type, 0.0), total)
        if output.reduction == "mean":
            total = builder.fdiv(total, ir.Constant(total.type, float(length)))
        self._write(Lanes(builder, 1), dtype, total, number, offsets[number])

    def _operand(self, lanes: Lanes, values: list[ir.Value], operand: int | tuple[Number], dtype: str) -> ir.Value:
        if isinstance(operand, tuple):
            return lanes.constant(dtype, operand[0])
        return lanes.converted(values[operand], self.dtypes[operand], dtype)

    def _address(self, number: int, place: ir.Value) -> ir.Value:
        return self.builder.gep(self.pointers[number], [place], source_etype=_BYTE)

    def _read(self, lanes: Lanes, dtype: str, number: int, place: ir.Value, stride: Stride) -> ir.Value:
        kind, address, align = _MEMORY[dtype], self._address(number, place), self.sizes[number]
        if stride and lanes.width > 1:
            value = self.builder.load(address, typ=ir.VectorType(kind, lanes.width), align=align)
        else:
            value = lanes.broadcast(self.builder.load(address, typ=kind, align=align))
        return self.builder.trunc(value, lanes.type("bool")) if dtype == "bool" else value

    def _write(self, lanes: Lanes, dtype: str, value: ir.Value, number: int, place: ir.Value) -> None:
        if dtype == "bool":
            value = self.builder.zext(value, _BYTE if lanes.width == 1 else ir.VectorType(_BYTE, lanes.width))
        self.builder.store(value, self._address(number, place), align=self.sizes[number])
