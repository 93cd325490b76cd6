"""Writes what Python calls of a cluster's kernel: the check of its arrays, and threads for large ones.

`entry(self, arrays, count)` is a function of CPython's C API (`METH_FASTCALL`). It takes numpy arrays, first those that
are read, then those that are written, finds their memory, runs the loops over everything and returns the last array; or
None where an array is not of its type and shape, or not in memory as it has to be. `self` is the type of arrays.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir

from framework.kernels.fused.cluster import ANY, Cluster, axes_read, shape_written
from framework.kernels.fused.loops import BODY, I64, POINTER, integer, read_strides, write_body
from framework.kernels.fused.spreading import write_spread

__all__ = ["module_of"]

#: Where Python's objects have their type, and numpy's arrays what they are (`PyArrayObject_fields`); and where a
#: `PyArray_Descr` has the number of the element type.
_TYPE_AT, _DATA_AT, _NDIM_AT, _SHAPE_AT, _STRIDES_AT, _DESCR_AT, _FLAGS_AT = 8, 16, 24, 32, 40, 56, 64
_NUMBER_AT: Final = 28
_CONTIGUOUS: Final = 1
#: Other Python threads run during kernels of at least so many elements.
_LONG: Final = 16384
_I32: Final = ir.IntType(32)


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
    _Entry(cluster, module, write_spread(module, body, steps)).write()
    return module


class _Entry:
    """Writes `entry`."""

    def __init__(self, cluster: Cluster, module: ir.Module, run: ir.Function) -> None:
        self.cluster = cluster
        self.module = module
        self.run = run
        self.function = ir.Function(module, ir.FunctionType(POINTER, [POINTER, POINTER, I64]), "entry")
        self.builder = ir.IRBuilder(self.function.append_basic_block("entry"))
        self.otherwise = self.function.append_basic_block("otherwise")
        self.given, self.unit = read_strides(cluster)

    def write(self) -> None:
        """Write everything."""
        builder, arrays = self.builder, self._types()
        table = builder.alloca(POINTER, len(arrays) + len(self.given))
        objects = [self._loaded(self.function.args[1], 8 * place, POINTER) for place in range(len(arrays))]
        for place, (item, (dtype, shape)) in enumerate(zip(objects, arrays, strict=True)):
            strided = place < len(self.cluster.inputs) and self.cluster.inputs[place].strided
            self._check(item, dtype, shape, strided=strided)
            builder.store(self._loaded(item, _DATA_AT, POINTER), self._at(table, 8 * place))
        for place, name in enumerate(self.given, len(arrays)):
            builder.store(self._stride(objects, name), self._at(table, 8 * place))
        for name in self.unit:
            size = np.dtype(arrays[int(name.partition(".")[0])][0]).itemsize
            self._expect(builder.icmp_signed("==", self._stride(objects, name), integer(size)))
        length = integer(axes_read(self.cluster)[0][0])
        if self.cluster.shape == ANY:
            length = self._same_length(objects, arrays)
        self._call(table, length, integer(self.cluster.size) if self.cluster.shape != ANY else length)
        self._return(objects[-1])
        builder.position_at_end(self.otherwise)
        self._return(ir.GlobalVariable(self.module, ir.IntType(8), "_Py_NoneStruct"))

    def _types(self) -> list[tuple[str, tuple[int, ...]]]:
        """Element type and shape of each array."""
        cluster = self.cluster
        dtypes = [*(item.dtype for item in cluster.inputs), *(step.dtype for step in cluster.steps)]
        read = [(item.dtype, item.given) for item in cluster.inputs]
        return [*read, *((dtypes[out.value], shape_written(cluster, out)) for out in cluster.outputs)]

    def _check(self, item: Any, dtype: str, shape: tuple[int, ...], *, strided: bool) -> None:
        """Go elsewhere if an object is no array, or not of this element type and shape, or not as it lies in memory."""
        builder = self.builder
        self._expect(builder.icmp_unsigned("==", self._loaded(item, _TYPE_AT, POINTER), self.function.args[0]))
        number = self._loaded(self._loaded(item, _DESCR_AT, POINTER), _NUMBER_AT, _I32)
        good = builder.icmp_unsigned("==", number, ir.Constant(_I32, np.dtype(dtype).num))
        if not strided:
            flags = builder.and_(self._loaded(item, _FLAGS_AT, _I32), ir.Constant(_I32, _CONTIGUOUS))
            good = builder.and_(good, builder.icmp_unsigned("==", flags, ir.Constant(_I32, _CONTIGUOUS)))
        if self.cluster.shape != ANY:
            dimensions = self._loaded(item, _NDIM_AT, _I32)
            good = builder.and_(good, builder.icmp_unsigned("==", dimensions, ir.Constant(_I32, len(shape))))
        self._expect(good)
        if self.cluster.shape != ANY and shape:
            sizes = self._loaded(item, _SHAPE_AT, POINTER)
            good = ir.Constant(ir.IntType(1), 1)
            for axis, size in enumerate(shape):
                same = builder.icmp_unsigned("==", self._loaded(sizes, 8 * axis, I64), integer(size))
                good = builder.and_(good, same)
            self._expect(good)

    def _same_length(self, objects: list[Any], arrays: list[tuple[str, tuple[int, ...]]]) -> Any:
        """The number of elements of the arrays, which have to agree."""
        count = _write_count(self.module)
        length = self.builder.call(count, [objects[-1]])
        for item, (_, shape) in zip(objects[:-1], arrays[:-1], strict=True):
            wanted = length if shape == ANY else integer(1)
            self._expect(self.builder.icmp_signed("==", self.builder.call(count, [item]), wanted))
        return length

    def _call(self, table: Any, length: Any, elements: Any) -> None:
        """Run the loops; other Python threads run meanwhile if that takes long."""
        builder, module = self.builder, self.module
        save = ir.Function(module, ir.FunctionType(POINTER, []), "PyEval_SaveThread")
        restore = ir.Function(module, ir.FunctionType(ir.VoidType(), [POINTER]), "PyEval_RestoreThread")
        with builder.if_else(builder.icmp_signed("<", elements, integer(_LONG))) as (short, long):
            with short:
                builder.call(self.run, [table, length, elements])
            with long:
                state = builder.call(save, [])
                builder.call(self.run, [table, length, elements])
                builder.call(restore, [state])

    def _expect(self, condition: Any) -> None:
        after = self.function.append_basic_block("checked")
        self.builder.cbranch(condition, after, self.otherwise)
        self.builder.position_at_end(after)

    def _stride(self, objects: list[Any], name: str) -> Any:
        number, _, axis = name.partition(".")
        return self._loaded(self._loaded(objects[int(number)], _STRIDES_AT, POINTER), 8 * int(axis), I64)

    def _at(self, base: Any, offset: int) -> Any:
        return self.builder.gep(base, [integer(offset)], source_etype=ir.IntType(8))

    def _loaded(self, base: Any, offset: int, kind: Any) -> Any:
        return self.builder.load(self._at(base, offset), typ=kind)

    def _return(self, item: Any) -> None:
        """Return a new reference to a Python object."""
        known = self.module.globals.get("Py_IncRef")
        made = known or ir.Function(self.module, ir.FunctionType(ir.VoidType(), [POINTER]), "Py_IncRef")
        self.builder.call(made, [item])
        self.builder.ret(item)


def _write_count(module: ir.Module) -> ir.Function:
    """`count(array)`: the number of its elements."""
    function = ir.Function(module, ir.FunctionType(I64, [POINTER]), "count")
    function.linkage = "internal"
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    first = builder.block
    (array,) = function.args

    def loaded(base: Any, offset: Any, kind: Any) -> Any:
        return builder.load(builder.gep(base, [offset], source_etype=ir.IntType(8)), typ=kind)

    dimensions = builder.sext(loaded(array, integer(_NDIM_AT), _I32), I64)
    sizes = loaded(array, integer(_SHAPE_AT), POINTER)
    head, work, after = (function.append_basic_block(name) for name in ("head", "work", "after"))
    builder.branch(head)
    builder.position_at_end(head)
    axis, total = builder.phi(I64), builder.phi(I64)
    builder.cbranch(builder.icmp_signed("<", axis, dimensions), work, after)
    builder.position_at_end(work)
    size = loaded(sizes, builder.mul(axis, integer(8)), I64)
    for phi, begin, then in ((axis, 0, builder.add(axis, integer(1))), (total, 1, builder.mul(total, size))):
        phi.add_incoming(integer(begin), first)
        phi.add_incoming(then, work)
    builder.branch(head)
    builder.position_at_end(after)
    builder.ret(total)
    return function
