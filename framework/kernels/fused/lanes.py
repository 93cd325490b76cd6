"""Arithmetic on several elements at once, as LLVM instructions: the vocabulary of expressions.

LLVM reorders and contracts nothing, so sums, products and quotients are those of numpy to the bit.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from framework.kernels.fused.supported import FLOATS

__all__ = ["Lanes"]

_SCALARS: dict[str, ir.Type] = {
    "bool": ir.IntType(1),
    "int32": ir.IntType(32),
    "int64": ir.IntType(64),
    "float32": ir.FloatType(),
    "float64": ir.DoubleType(),
}
_SUFFIXES = {"float32": "f32", "float64": "f64", "int32": "i32", "int64": "i64"}


class Lanes:
    """Writes instructions on values of `width` elements each.

    Args:
        builder: a builder at the place to write to.
        width: elements per value; 1 for scalars.
    """

    def __init__(self, builder: ir.IRBuilder, width: int) -> None:
        self.builder = builder
        self.width = width

    def type(self, dtype: str) -> ir.Type:
        """LLVM's type of a value."""
        scalar = _SCALARS[dtype]
        return scalar if self.width == 1 else ir.VectorType(scalar, self.width)

    def constant(self, dtype: str, number: float) -> ir.Constant:
        """The same number in all lanes."""
        scalar = _SCALARS[dtype]
        one: float = float(number) if dtype in FLOATS else int(number)
        return ir.Constant(self.type(dtype), one if self.width == 1 else [ir.Constant(scalar, one)] * self.width)

    def broadcast(self, scalar: ir.Value) -> ir.Value:
        """A scalar in all lanes."""
        if self.width == 1:
            return scalar
        whole = ir.VectorType(scalar.type, self.width)
        first = self.builder.insert_element(ir.Constant(whole, ir.Undefined), scalar, ir.Constant(ir.IntType(32), 0))
        mask = ir.Constant(ir.VectorType(ir.IntType(32), self.width), [0] * self.width)
        return self.builder.shuffle_vector(first, ir.Constant(whole, ir.Undefined), mask)

    def intrinsic(self, name: str, dtype: str, *operands: ir.Value) -> ir.Value:
        """A call of `llvm.NAME` for a type."""
        suffix = _SUFFIXES[dtype] if self.width == 1 else f"v{self.width}{_SUFFIXES[dtype]}"
        return self._declared(f"llvm.{name}.{suffix}", self.type(dtype), operands)

    def _declared(self, name: str, result: ir.Type, operands: Sequence[ir.Value]) -> ir.Value:
        module = self.builder.module
        if name not in module.globals:
            ir.Function(module, ir.FunctionType(result, [item.type for item in operands]), name)
        return self.builder.call(module.globals[name], list(operands))

    def fused(self, dtype: str, x: ir.Value, y: ir.Value, z: ir.Value) -> ir.Value:
        """x * y + z, rounded once where the processor does that."""
        return self.intrinsic("fmuladd", dtype, x, y, z)

    def polynomial(self, dtype: str, x: ir.Value, coefficients: Sequence[float]) -> ir.Value:
        """Horner's scheme, the highest power first."""
        value = self.constant(dtype, coefficients[0])
        for coefficient in coefficients[1:]:
            value = self.fused(dtype, value, x, self.constant(dtype, coefficient))
        return value

    def bits(self, dtype: str, x: ir.Value) -> ir.Value:
        """The bits of floats as integers of the same size."""
        return self.builder.bitcast(x, self.type(_as_integer(dtype)))

    def floats(self, dtype: str, bits: ir.Value) -> ir.Value:
        """Bits as floats."""
        return self.builder.bitcast(bits, self.type(dtype))

    def integer(self, dtype: str, number: int) -> ir.Constant:
        """An integer constant as wide as a float type."""
        return self.constant(_as_integer(dtype), number)

    def is_nan(self, x: ir.Value) -> ir.Value:
        """A mask of the NaN elements of x."""
        return self.builder.fcmp_unordered("uno", x, x)

    def smaller(self, x: ir.Value, y: ir.Value) -> ir.Value:
        """The smaller of two; x where it is NaN."""
        return self.builder.select(self.builder.fcmp_ordered(">", x, y), y, x)

    def larger(self, x: ir.Value, y: ir.Value) -> ir.Value:
        """The larger of two; x where it is NaN."""
        return self.builder.select(self.builder.fcmp_ordered("<", x, y), y, x)

    def converted(self, x: ir.Value, before: str, after: str) -> ir.Value:
        """Convert elements. A float out of an integer type's range becomes the nearest integer; NaN becomes 0."""
        builder, kind = self.builder, self.type(after)
        if before == after:
            return x
        if after == "bool":
            zero = self.constant(before, 0)
            return builder.fcmp_unordered("!=", x, zero) if before in FLOATS else builder.icmp_signed("!=", x, zero)
        if before in FLOATS and after in FLOATS:
            return builder.fpext(x, kind) if after == "float64" else builder.fptrunc(x, kind)
        if before in FLOATS:
            lanes = "" if self.width == 1 else f"v{self.width}"
            name = f"llvm.fptosi.sat.{lanes}{_SUFFIXES[after]}.{lanes}{_SUFFIXES[before]}"
            return self._declared(name, kind, (x,))
        if after in FLOATS:
            return builder.uitofp(x, kind) if before == "bool" else builder.sitofp(x, kind)
        if before == "bool":
            return builder.zext(x, kind)
        return builder.sext(x, kind) if after == "int64" else builder.trunc(x, kind)


def _as_integer(dtype: str) -> str:
    return "int32" if dtype == "float32" else "int64"
