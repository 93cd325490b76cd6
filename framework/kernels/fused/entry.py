"""Writes the function of a kernel that Python calls: it checks the arrays and runs the loops.

`entry(self, arrays, count)` is a function of CPython's C API (`METH_FASTCALL`). It takes the numpy arrays to read and
then those to write, runs the loops and returns the last array. It returns None where an array has another type or shape
than the cluster says, or is not contiguous. `self` is the type of arrays.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from llvmlite import ir

from framework.kernels.fused.arrays import ArrayReader, write_count
from framework.kernels.fused.cluster import ANY, Cluster, axes_read, is_one_row, read_strides, shape_written
from framework.kernels.fused.loops import BODY, I64, POINTER, integer, write_body
from framework.kernels.fused.spreading import write_spread, write_whole

__all__ = ["module_of"]

#: A kernel releases the GIL from so many elements on.
_LONG: Final = 16384


def module_of(cluster: Cluster, width: int) -> ir.Module:
    """The LLVM module of a cluster.

    Args:
        cluster: what to compute.
        width: elements per vector.
    """
    module = ir.Module("fused")
    body = ir.Function(module, BODY, "body")
    write_body(cluster, width, body)
    steps = len(cluster.steps) + 2 * (len(cluster.inputs) + len(cluster.outputs))
    run = write_whole(module, body) if is_one_row(cluster) else write_spread(module, body, steps)
    _Entry(cluster, module, run).write()
    return module


class _Entry:
    """Writes `entry`."""

    def __init__(self, cluster: Cluster, module: ir.Module, run: ir.Function) -> None:
        self.cluster = cluster
        self.module = module
        self.run = run
        self.function = ir.Function(module, ir.FunctionType(POINTER, [POINTER, POINTER, I64]), "entry")
        self.builder = ir.IRBuilder(self.function.append_basic_block("entry"))
        self.reader = ArrayReader(self.builder, self.function.append_basic_block("otherwise"), self.function.args[0])
        self.given, self.unit = read_strides(cluster)

    def write(self) -> None:
        """Write everything."""
        builder, arrays = self.builder, self._types()
        table = builder.alloca(POINTER, len(arrays) + len(self.given))
        reader = self.reader
        objects = [reader.loaded(self.function.args[1], 8 * place, POINTER) for place in range(len(arrays))]
        for place, (item, (dtype, shape)) in enumerate(zip(objects, arrays, strict=True)):
            strided = place < len(self.cluster.inputs) and self.cluster.inputs[place].strided
            reader.check(item, dtype, None if self.cluster.shape == ANY else shape, strided=strided)
            builder.store(reader.data(item), reader.at(table, 8 * place))
        for place, name in enumerate(self.given, len(arrays)):
            builder.store(self._stride(objects, name), reader.at(table, 8 * place))
        for name in self.unit:
            size = np.dtype(arrays[int(name.partition(".")[0])][0]).itemsize
            reader.expect(builder.icmp_signed("==", self._stride(objects, name), integer(size)))
        length = integer(axes_read(self.cluster)[0][0])
        if self.cluster.shape == ANY:
            length = self._same_length(objects, arrays)
        self._call(table, length, integer(self.cluster.size) if self.cluster.shape != ANY else length)
        reader.give_back(objects[-1])
        reader.give_back_none()

    def _types(self) -> list[tuple[str, tuple[int, ...]]]:
        """Element type and shape of each array."""
        cluster = self.cluster
        dtypes = [*(item.dtype for item in cluster.inputs), *(step.dtype for step in cluster.steps)]
        read = [(item.dtype, item.given) for item in cluster.inputs]
        return [*read, *((dtypes[out.value], shape_written(cluster, out)) for out in cluster.outputs)]

    def _same_length(self, objects: list[ir.Value], arrays: list[tuple[str, tuple[int, ...]]]) -> ir.Value:
        """The number of elements of the arrays; they must agree."""
        count = write_count(self.module)
        length = self.builder.call(count, [objects[-1]])
        for item, (_, shape) in zip(objects[:-1], arrays[:-1], strict=True):
            wanted = length if shape == ANY else integer(1)
            self.reader.expect(self.builder.icmp_signed("==", self.builder.call(count, [item]), wanted))
        return length

    def _call(self, table: ir.Value, length: ir.Value, elements: ir.Value) -> None:
        """Run the loops, without the GIL if that takes long."""
        builder = self.builder
        with builder.if_else(builder.icmp_signed("<", elements, integer(_LONG))) as (short, long):
            with short:
                builder.call(self.run, [table, length, elements])
            with long:
                state = self.reader.release_gil()
                builder.call(self.run, [table, length, elements])
                self.reader.acquire_gil(state)

    def _stride(self, objects: list[ir.Value], name: str) -> ir.Value:
        number, _, axis = name.partition(".")
        return self.reader.stride(objects[int(number)], int(axis))
