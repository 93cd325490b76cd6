"""Numbers of Python that a program computes: lengths of open dimensions, conditions of loops and branches."""

from __future__ import annotations

from typing import Final

from framework.common import dtype as mstype
from framework.common.dtype import DType
from framework.onnx.forms.form_table import Application, Written, form
from framework.onnx.forms.pointwise import remainder
from framework.onnx.writer.nodes import UnwritableError

__all__: list[str] = []

_COMPUTING: Final = {"add": "Add", "sub": "Sub", "mul": "Mul", "truediv": "Div"}
_COMPARING: Final = {"lt": "Less", "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual", "eq": "Equal"}


def _common(a: Application) -> DType:
    return mstype.float64 if mstype.float64 in (a.dtype(0), a.dtype(1)) else mstype.int64


@form(*(f"python {name}" for name in _COMPUTING))
def computed(a: Application) -> Written:
    return a.emit(_COMPUTING[a.operator.name], a.of(0, a.out.dtype), a.of(1, a.out.dtype))


@form("python mod")
def modulo(a: Application) -> Written:
    return remainder(a, a.of(0, a.out.dtype), a.of(1, a.out.dtype), a.out.dtype)


@form("python floordiv")
def divided(a: Application) -> Written:
    x, y = a.of(0, a.out.dtype), a.of(1, a.out.dtype)
    return a.emit("Div", a.emit("Sub", x, remainder(a, x, y, a.out.dtype)), y)


@form("python neg")
def negative(a: Application) -> Written:
    return a.emit("Neg", a.of(0, a.out.dtype))


@form(*(f"python {name}" for name in _COMPARING))
def compared(a: Application) -> Written:
    return a.emit(_COMPARING[a.operator.name], a.of(0, _common(a)), a.of(1, _common(a)))


@form("python ne")
def differs(a: Application) -> Written:
    return a.emit("Not", a.emit("Equal", a.of(0, _common(a)), a.of(1, _common(a))))


@form("python bool")
def truth(a: Application) -> Written:
    return _scalar(a)


@form("python not_")
def negated(a: Application) -> Written:
    return a.emit("Not", _scalar(a))


def _scalar(a: Application) -> str:
    """A Bool scalar of a number or a tensor with one element."""
    found = a.of(0, mstype.bool_)
    return found if a.shape(0) == () else a.emit("Reshape", found, a.numbers())


@form("Shape", "TensorShape")
def shape(a: Application) -> Written:
    whole = a.emit("Shape", a.of(0))
    if type(a.operator).__name__ == "TensorShape":
        return whole
    return tuple(
        a.number(length, mstype.int64) if length is not None
        else a.emit("Gather", whole, a.number(place, mstype.int64))
        for place, length in enumerate(a.shape(0))
    )  # fmt: skip


@form("Size")
def size(a: Application) -> Written:
    return a.emit("Size", a.of(0))


@form("ScalarToTensor", "ScalarToArray", "ScalarCast")
def as_tensor(a: Application) -> Written:
    return a.of(0, a.out.dtype)


@form("TupleToArray")
def tuple_as_tensor(a: Application) -> Written:
    found = a.ints(0)
    if a.out.dtype.kind == "float":
        raise UnwritableError("its numbers are computed")
    return found if a.out.dtype is mstype.int64 else a.cast(found, a.out.dtype)
