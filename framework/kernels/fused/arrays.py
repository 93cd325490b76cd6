"""Writes machine code that checks numpy's arrays and reads where their elements lie.

Used by the entries of generated kernels and of native segments, which are functions of CPython's C API.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from llvmlite import ir

from framework.common import abi
from framework.kernels.fused.loops import I64, POINTER, integer

__all__ = ["ArrayReader", "write_count"]

_I32: Final = ir.IntType(32)


class ArrayReader:
    """Writes instructions that check arrays and read their fields.

    Args:
        builder: the builder of the function.
        otherwise: the block to branch to where a check fails.
        kind: numpy's type of arrays.
    """

    def __init__(self, builder: ir.IRBuilder, otherwise: ir.Block, kind: ir.Value) -> None:
        self.builder, self.otherwise, self.kind = builder, otherwise, kind

    def check(self, item: ir.Value, dtype: str, shape: tuple[int, ...] | None, *, strided: bool = False) -> None:
        """Branch to `otherwise` if an object is not an array of this element type and shape, or is not contiguous.

        Args:
            item: the object.
            dtype: numpy's name of the element type.
            shape: the shape; None for any.
            strided: whether the array need not be contiguous.
        """
        builder = self.builder
        self.expect(builder.icmp_unsigned("==", self.loaded(item, abi.TYPE_AT, POINTER), self.kind))
        number = self.loaded(self.loaded(item, abi.DESCR_AT, POINTER), abi.NUMBER_AT, _I32)
        good = builder.icmp_unsigned("==", number, ir.Constant(_I32, np.dtype(dtype).num))
        if not strided:
            good = builder.and_(good, self._has(item, abi.CONTIGUOUS))
        if shape is not None:
            dimensions = self.loaded(item, abi.NDIM_AT, _I32)
            good = builder.and_(good, builder.icmp_unsigned("==", dimensions, ir.Constant(_I32, len(shape))))
        self.expect(good)
        if shape:
            sizes = self.loaded(item, abi.SHAPE_AT, POINTER)
            good = ir.Constant(ir.IntType(1), 1)
            for axis, size in enumerate(shape):
                same = builder.icmp_unsigned("==", self.loaded(sizes, 8 * axis, I64), integer(size))
                good = builder.and_(good, same)
            self.expect(good)

    def check_owned(self, item: ir.Value, references: int) -> None:
        """Branch to `otherwise` if an array has more references, is a view of another, or is read-only."""
        builder = self.builder
        count = self.loaded(item, abi.REFERENCES_AT, I64)
        good = builder.icmp_signed("<=", count, integer(references))
        no_base = builder.icmp_unsigned("==", self.loaded(item, abi.BASE_AT, I64), integer(0))
        self.expect(builder.and_(builder.and_(good, no_base), self._has(item, abi.WRITEABLE)))

    def _has(self, item: ir.Value, flag: int) -> ir.Value:
        wanted = ir.Constant(_I32, flag)
        flags = self.builder.and_(self.loaded(item, abi.FLAGS_AT, _I32), wanted)
        return self.builder.icmp_unsigned("==", flags, wanted)

    def data(self, item: ir.Value) -> ir.Value:
        """The address of an array's first element."""
        return self.loaded(item, abi.DATA_AT, POINTER)

    def stride(self, item: ir.Value, axis: int) -> ir.Value:
        """The bytes from one element to the next along an axis."""
        return self.loaded(self.loaded(item, abi.STRIDES_AT, POINTER), 8 * axis, I64)

    def expect(self, condition: ir.Value) -> None:
        """Branch to `otherwise` where a condition does not hold."""
        after = self.builder.append_basic_block("checked")
        self.builder.cbranch(condition, after, self.otherwise)
        self.builder.position_at_end(after)

    def at(self, base: ir.Value, offset: int) -> ir.Value:
        """The address `offset` bytes after another one."""
        return self.builder.gep(base, [integer(offset)], source_etype=ir.IntType(8))

    def loaded(self, base: ir.Value, offset: int, kind: ir.Type) -> ir.Value:
        """The value `offset` bytes after an address."""
        return self.builder.load(self.at(base, offset), typ=kind)

    def external(self, name: str, returned: ir.Type, arguments: list[ir.Type]) -> ir.Function:
        """The declaration of a function of CPython."""
        module = self.builder.module
        return module.globals.get(name) or ir.Function(module, ir.FunctionType(returned, arguments), name)

    def release_gil(self) -> ir.Value:
        """Let other Python threads run from here on; returns the state of this thread, for `acquire_gil`."""
        return self.builder.call(self.external("PyEval_SaveThread", POINTER, []), [])

    def acquire_gil(self, state: ir.Value) -> None:
        """Wait until no other Python thread runs, and go on as this thread."""
        self.builder.call(self.external("PyEval_RestoreThread", ir.VoidType(), [POINTER]), [state])

    def give_back(self, item: ir.Value) -> None:
        """Return a new reference to a Python object."""
        self.builder.call(self.external("Py_IncRef", ir.VoidType(), [POINTER]), [item])
        self.builder.ret(item)

    def give_back_none(self) -> None:
        """Write the block `otherwise`: return None."""
        self.builder.position_at_end(self.otherwise)
        module = self.builder.module
        none = module.globals.get("_Py_NoneStruct") or ir.GlobalVariable(module, ir.IntType(8), "_Py_NoneStruct")
        self.give_back(none)


def write_count(module: ir.Module) -> ir.Function:
    """`count(array)`: the number of its elements."""
    function = ir.Function(module, ir.FunctionType(I64, [POINTER]), "count")
    function.linkage = "internal"
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    first = builder.block
    (array,) = function.args

    def loaded(base: ir.Value, offset: ir.Value, kind: ir.Type) -> ir.Value:
        return builder.load(builder.gep(base, [offset], source_etype=ir.IntType(8)), typ=kind)

    dimensions = builder.sext(loaded(array, integer(abi.NDIM_AT), _I32), I64)
    sizes = loaded(array, integer(abi.SHAPE_AT), POINTER)
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
