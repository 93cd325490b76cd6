"""Writes numpy's sum of a row as LLVM IR: by halves, of parts of up to 128 elements as eight sums side by side.

The order is that of `pairwise_sum` in numpy: numpy/_core/src/umath/loops_utils.h.src.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from llvmlite import ir

__all__ = ["pairwise"]

_I64: Final = ir.IntType(64)
_TYPES: Final = {"float32": (ir.FloatType(), 4), "float64": (ir.DoubleType(), 8)}
_LANES: Final = 8
_MOST: Final = 128


def pairwise(module: ir.Module, dtype: str) -> ir.Function:
    """The function `sum(row, count)` of a module; written if it is not there yet.

    Args:
        module: the module.
        dtype: numpy's name of the element type.
    """
    name = f"sum_{dtype}"
    known = module.globals.get(name)
    if known is not None:
        return known
    number, size = _TYPES[dtype]
    function = ir.Function(module, ir.FunctionType(number, [ir.PointerType(), _I64]), name)
    function.linkage = "internal"
    _Sum(function, number, size).write()
    return function


class _Sum:
    """Writes the function."""

    def __init__(self, function: ir.Function, number: ir.Type, size: int) -> None:
        self.function, self.number, self.size = function, number, size
        self.row, self.count = function.args
        self.builder = ir.IRBuilder(function.append_basic_block("entry"))

    def write(self) -> None:
        """Write everything."""
        builder = self.builder
        with builder.if_then(builder.icmp_signed("<", self.count, _whole(_LANES))):
            builder.ret(self._one_by_one(_whole(0), ir.Constant(self.number, -0.0)))
        with builder.if_then(builder.icmp_signed("<=", self.count, _whole(_MOST))):
            rest = builder.srem(self.count, _whole(_LANES))
            end = builder.sub(self.count, rest)
            builder.ret(self._one_by_one(end, self._together(self._side_by_side(end))))
        half = builder.sdiv(self.count, _whole(2))
        half = builder.sub(half, builder.srem(half, _whole(_LANES)))
        first = builder.call(self.function, [self.row, half])
        second = builder.call(self.function, [self._at(half), builder.sub(self.count, half)])
        builder.ret(builder.fadd(first, second))

    def _side_by_side(self, end: ir.Value) -> ir.Value:
        """Eight sums of the elements before a place."""
        vector = ir.VectorType(self.number, _LANES)

        def load(place: ir.Value) -> ir.Value:
            return self.builder.load(self._at(place), typ=vector, align=self.size)

        def add(total: ir.Value, place: ir.Value) -> ir.Value:
            return self.builder.fadd(total, load(place))

        return self._each(_whole(_LANES), end, _LANES, load(_whole(0)), add)

    def _together(self, sums: ir.Value) -> ir.Value:
        """((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7))."""
        builder, count = self.builder, _LANES
        while count > 1:
            sums = builder.fadd(self._chosen(sums, range(0, count, 2)), self._chosen(sums, range(1, count, 2)))
            count //= 2
        return builder.extract_element(sums, ir.Constant(ir.IntType(32), 0))

    def _chosen(self, value: ir.Value, places: Sequence[int]) -> ir.Value:
        mask = ir.Constant(ir.VectorType(ir.IntType(32), len(places)), list(places))
        return self.builder.shuffle_vector(value, ir.Constant(value.type, ir.Undefined), mask)

    def _one_by_one(self, begin: ir.Value, total: ir.Value) -> ir.Value:
        """The sum with the elements from a place on."""

        def add(total: ir.Value, place: ir.Value) -> ir.Value:
            return self.builder.fadd(total, self.builder.load(self._at(place), typ=self.number, align=self.size))

        return self._each(begin, self.count, 1, total, add)

    def _each(
        self, begin: ir.Value, end: ir.Value, step: int, first: ir.Value, add: Callable[[ir.Value, ir.Value], ir.Value]
    ) -> ir.Value:
        """`for place in range(begin, end, step): total = add(total, place)`."""
        builder, before = self.builder, self.builder.block
        head, work, after = (self.function.append_basic_block(name) for name in ("head", "work", "after"))
        builder.branch(head)
        builder.position_at_end(head)
        place, total = builder.phi(_I64), builder.phi(first.type)
        place.add_incoming(begin, before)
        total.add_incoming(first, before)
        builder.cbranch(builder.icmp_signed("<", place, end), work, after)
        builder.position_at_end(work)
        more = add(total, place)
        place.add_incoming(builder.add(place, _whole(step)), work)
        total.add_incoming(more, work)
        builder.branch(head)
        builder.position_at_end(after)
        return total

    def _at(self, place: ir.Value) -> ir.Value:
        return self.builder.gep(self.row, [place], source_etype=self.number)


def _whole(number: int) -> ir.Constant:
    return ir.Constant(_I64, number)
