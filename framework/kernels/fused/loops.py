"""Writes a cluster as LLVM IR: loops over its elements, a vector at a time, and the function that Python calls.

The module has two functions. `body(pointers, begin, end)` does the work for a part of the outermost loop, from `begin`
to before `end`. `entry(self, arrays, count)` is a function of CPython's C API (`METH_FASTCALL`): it takes numpy arrays,
first those that are read, then those that are written, finds their memory, runs `body` over everything and returns the
last array; None where an array is not what it has to be, of its type and shape and element after element in memory.
`self` is the type of arrays.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from llvmlite import ir

from framework.kernels.fused.cluster import Cluster, axes_read, shape_written
from framework.kernels.fused.expressions import lowered
from framework.kernels.fused.lanes import Lanes

__all__ = ["module_of"]

#: Where Python's objects have their type, and numpy's arrays what they are (`PyArrayObject_fields`); and where a
#: `PyArray_Descr` has the number of the element type.
_TYPE_AT, _DATA_AT, _NDIM_AT, _SHAPE_AT, _DESCR_AT, _FLAGS_AT = 8, 16, 24, 32, 56, 64
_NUMBER_AT: Final = 28
_CONTIGUOUS: Final = 1
#: Other Python threads run during kernels of at least so many elements.
_LONG: Final = 16384
_MEMORY: Final[dict[str, Any]] = {
    "bool": ir.IntType(8),
    "int32": ir.IntType(32),
    "int64": ir.IntType(64),
    "float32": ir.FloatType(),
    "float64": ir.DoubleType(),
}
_I32, _I64, _POINTER = ir.IntType(32), ir.IntType(64), ir.PointerType()
_BODY_TYPE = ir.FunctionType(ir.VoidType(), [_POINTER, _I64, _I64])


def module_of(cluster: Cluster, width: int) -> ir.Module:
    """The LLVM module of a cluster.

    Args:
        cluster: what to compute.
        width: elements per vector.
    """
    module = ir.Module("fused")
    body = ir.Function(module, _BODY_TYPE, "body")
    _Body(cluster, width, body).write()
    _write_entry(cluster, module, body)
    return module


def _integer(number: int) -> ir.Constant:
    return ir.Constant(_I64, number)


class _Body:
    """Writes `body`."""

    def __init__(self, cluster: Cluster, width: int, function: ir.Function) -> None:
        self.cluster = cluster
        self.width = width
        self.function = function
        self.lengths, self.strides = axes_read(cluster)
        dtypes = [item.dtype for item in cluster.inputs]
        self.dtypes = [*dtypes, *(step.dtype for step in cluster.steps)]
        self.builder = ir.IRBuilder(function.append_basic_block("entry"))

    def write(self) -> None:
        """Write everything."""
        table, begin, end = self.function.args
        count = len(self.cluster.inputs) + len(self.cluster.outputs)
        self.pointers = [self._loaded(table, place) for place in range(count)]
        self._loop(0, [_integer(0)] * count, begin, end)
        self.builder.ret_void()

    def _loaded(self, table: Any, place: int) -> Any:
        return self.builder.load(self.builder.gep(table, [_integer(place)], source_etype=_POINTER), typ=_POINTER)

    def _loop(self, level: int, offsets: list[Any], begin: Any, end: Any) -> None:
        """The loop of a level and those within; offsets are those of each array, in elements."""
        if level < len(self.lengths) - 1:
            self._each(begin, end, 1, lambda index: self._inner(level, offsets, index))
            return
        whole = self.builder.sub(end, self.builder.srem(self.builder.sub(end, begin), _integer(self.width)))
        self._each(begin, whole, self.width, lambda index: self._elements(level, offsets, index, self.width))
        self._each(whole, end, 1, lambda index: self._elements(level, offsets, index, 1))

    def _inner(self, level: int, offsets: list[Any], index: Any) -> None:
        here = self._moved(level, offsets, index)
        self._loop(level + 1, here, _integer(0), _integer(self.lengths[level + 1]))

    def _moved(self, level: int, offsets: list[Any], index: Any) -> list[Any]:
        builder = self.builder
        return [
            builder.add(offset, builder.mul(index, _integer(stride))) if stride else offset
            for offset, stride in zip(offsets, self.strides[level], strict=True)
        ]

    def _each(self, begin: Any, end: Any, step: int, inside: Callable[[Any], None]) -> None:
        """`for index in range(begin, end, step)`."""
        builder, before = self.builder, self.builder.block
        head, work, after = (self.function.append_basic_block(name) for name in ("head", "work", "after"))
        builder.branch(head)
        builder.position_at_end(head)
        index = builder.phi(_I64)
        index.add_incoming(begin, before)
        builder.cbranch(builder.icmp_signed("<", index, end), work, after)
        builder.position_at_end(work)
        inside(index)
        index.add_incoming(builder.add(index, _integer(step)), builder.block)
        builder.branch(head)
        builder.position_at_end(after)

    def _elements(self, level: int, offsets: list[Any], index: Any, width: int) -> None:
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
            self._write(lanes, self.dtypes[output.value], values[output.value], number, places[number])

    def _operand(self, lanes: Lanes, values: list[Any], operand: Any, dtype: str) -> Any:
        if isinstance(operand, tuple):
            return lanes.constant(dtype, operand[0])
        return lanes.converted(values[operand], self.dtypes[operand], dtype)

    def _address(self, number: int, place: Any, dtype: str) -> Any:
        return self.builder.gep(self.pointers[number], [place], source_etype=_MEMORY[dtype])

    def _read(self, lanes: Lanes, dtype: str, number: int, place: Any, stride: int) -> Any:
        kind, address = _MEMORY[dtype], self._address(number, place, dtype)
        align = kind.width // 8 if isinstance(kind, ir.IntType) else (4 if dtype == "float32" else 8)
        if stride and lanes.width > 1:
            value = self.builder.load(address, typ=ir.VectorType(kind, lanes.width), align=align)
        else:
            value = lanes.broadcast(self.builder.load(address, typ=kind, align=align))
        return self.builder.trunc(value, lanes.type("bool")) if dtype == "bool" else value

    def _write(self, lanes: Lanes, dtype: str, value: Any, number: int, place: Any) -> None:
        kind = _MEMORY[dtype]
        if dtype == "bool":
            value = self.builder.zext(value, kind if lanes.width == 1 else ir.VectorType(kind, lanes.width))
        align = 1 if dtype == "bool" else (4 if dtype in ("int32", "float32") else 8)
        self.builder.store(value, self._address(number, place, dtype), align=align)


def _write_entry(cluster: Cluster, module: ir.Module, body: ir.Function) -> None:
    """The function that Python calls."""
    count = len(cluster.inputs) + len(cluster.outputs)
    entry = ir.Function(module, ir.FunctionType(_POINTER, [_POINTER, _POINTER, _I64]), "entry")
    builder = ir.IRBuilder(entry.append_basic_block("entry"))
    table = builder.alloca(_POINTER, count)
    arrays = entry.args[1]
    array: Any = None
    bad = entry.append_basic_block("otherwise")
    for place, (dtype, shape) in enumerate(_types(cluster)):
        array = builder.load(builder.gep(arrays, [_integer(place)], source_etype=_POINTER), typ=_POINTER)
        _check(builder, array, entry.args[0], dtype, shape, bad)
        data = builder.load(_field(builder, array, _DATA_AT), typ=_POINTER)
        builder.store(data, builder.gep(table, [_integer(place)], source_etype=_POINTER))
    good = builder.block
    builder.position_at_end(bad)
    none = ir.GlobalVariable(module, ir.IntType(8), "_Py_NoneStruct")
    _return(builder, none)
    builder.position_at_end(good)
    run = [table, _integer(0), _integer(axes_read(cluster)[0][0])]
    if cluster.size < _LONG:
        builder.call(body, run)
    else:
        save = ir.Function(module, ir.FunctionType(_POINTER, []), "PyEval_SaveThread")
        restore = ir.Function(module, ir.FunctionType(ir.VoidType(), [_POINTER]), "PyEval_RestoreThread")
        state = builder.call(save, [])
        builder.call(body, run)
        builder.call(restore, [state])
    _return(builder, array)


def _types(cluster: Cluster) -> list[tuple[str, tuple[int, ...]]]:
    """Element type and shape of each array."""
    dtypes = [*(item.dtype for item in cluster.inputs), *(step.dtype for step in cluster.steps)]
    read = [(item.dtype, item.given) for item in cluster.inputs]
    return [*read, *((dtypes[out.value], shape_written(cluster, out)) for out in cluster.outputs)]


def _check(
    builder: ir.IRBuilder, array: Any, kind: Any, dtype: str, shape: tuple[int, ...], otherwise: ir.Block
) -> None:
    """Go elsewhere if an object is no array, or not of this element type and shape, or not contiguous."""

    def loaded(base: Any, at: int, kind: Any) -> Any:
        return builder.load(_field(builder, base, at), typ=kind)

    def expect(condition: Any) -> None:
        after = builder.append_basic_block("checked")
        builder.cbranch(condition, after, otherwise)
        builder.position_at_end(after)

    expect(builder.icmp_unsigned("==", loaded(array, _TYPE_AT, _POINTER), kind))
    flags = builder.and_(loaded(array, _FLAGS_AT, _I32), ir.Constant(_I32, _CONTIGUOUS))
    number = loaded(loaded(array, _DESCR_AT, _POINTER), _NUMBER_AT, _I32)
    good = builder.icmp_unsigned("==", flags, ir.Constant(_I32, _CONTIGUOUS))
    good = builder.and_(good, builder.icmp_unsigned("==", number, ir.Constant(_I32, np.dtype(dtype).num)))
    expect(
        builder.and_(good, builder.icmp_unsigned("==", loaded(array, _NDIM_AT, _I32), ir.Constant(_I32, len(shape))))
    )
    if shape:
        sizes = loaded(array, _SHAPE_AT, _POINTER)
        same = [
            builder.icmp_unsigned("==", loaded(sizes, 8 * axis, _I64), _integer(size))
            for axis, size in enumerate(shape)
        ]
        expect(functools.reduce(builder.and_, same))


def _field(builder: ir.IRBuilder, array: Any, at: int) -> Any:
    return builder.gep(array, [_integer(at)], source_etype=ir.IntType(8))


def _return(builder: ir.IRBuilder, item: Any) -> None:
    """Return a new reference to a Python object."""
    function = (
        ir.Function(builder.module, ir.FunctionType(ir.VoidType(), [_POINTER]), "Py_IncRef")
        if ("Py_IncRef" not in builder.module.globals)
        else builder.module.globals["Py_IncRef"]
    )
    builder.call(function, [item])
    builder.ret(item)
