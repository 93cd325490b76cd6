"""Element types under MindSpore's names (`mstype.float32`) and the rule by which two of them meet.

Every other module names element types through these objects; numpy's own appear only where arrays are made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

__all__ = [
    "DType",
    "KindOfType",
    "Type",
    "bfloat16",
    "bool_",
    "byte",
    "cdouble",
    "cfloat",
    "complex64",
    "complex128",
    "complex_type",
    "double",
    "dtype_to_nptype",
    "dtype_to_pytype",
    "float16",
    "float32",
    "float64",
    "float_",
    "float_type",
    "function",
    "get_py_obj_dtype",
    "half",
    "inexact_type",
    "int8",
    "int16",
    "int32",
    "int64",
    "int_",
    "int_type",
    "intc",
    "intp",
    "list_",
    "long",
    "number",
    "number_type",
    "of",
    "promote",
    "pytype_to_dtype",
    "real_type",
    "result_type",
    "short",
    "single",
    "string",
    "tensor_type",
    "tuple_",
    "type_none",
    "type_of_python",
    "ubyte",
    "uint",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uint_type",
    "uintc",
    "uintp",
    "ushort",
    "when_bfloat16_is_used",
]


class DType:
    """An element type.

    `t.dtype` and the older spelling `t.dtype()` are the same, which is why an element type can be called.
    """

    __slots__ = ("bits", "char", "kind", "name", "numpy")

    #: Numpy's name for it.
    numpy: np.dtype[Any]

    def __init__(self, name: str, numpy_name: str, kind: str) -> None:
        self.name: Final = name
        #: "bool", "int" (signed or not), "float" or "complex", in the order of promotion.
        self.kind: Final = kind
        if numpy_name != "bfloat16":
            self.numpy = np.dtype(numpy_name)
        #: Numpy's code for it, one letter.
        self.char: Final = "E" if numpy_name == "bfloat16" else self.numpy.char
        self.bits: Final = 16 if numpy_name == "bfloat16" else self.numpy.itemsize * 8

    def __getattr__(self, name: str) -> Any:
        # Python calls this for names that it does not find otherwise: `numpy` of bfloat16 at its first use.
        if name != "numpy":
            raise AttributeError(f"an element type has no attribute {name!r}")
        self.numpy = _bfloat16_of_numpy()
        _BY_NUMPY[self.numpy] = self
        for listener in _listeners:
            listener(self.numpy)
        return self.numpy

    def __call__(self) -> DType:
        """The element type itself: `t.dtype()`."""
        return self

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> str | tuple[Any, ...]:
        return "bfloat16" if self is bfloat16 else (of, (self.numpy,))

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.bits // 8

    @property
    def is_floating_point(self) -> bool:
        """Whether gradients can flow through elements of this type."""
        return self.kind in ("float", "complex")


bool_ = DType("Bool", "bool", "bool")
int8 = DType("Int8", "int8", "int")
int16 = DType("Int16", "int16", "int")
int32 = DType("Int32", "int32", "int")
int64 = DType("Int64", "int64", "int")
uint8 = DType("UInt8", "uint8", "int")
uint16 = DType("UInt16", "uint16", "int")
uint32 = DType("UInt32", "uint32", "int")
uint64 = DType("UInt64", "uint64", "int")
float16 = DType("Float16", "float16", "float")
float32 = DType("Float32", "float32", "float")
float64 = DType("Float64", "float64", "float")
bfloat16 = DType("BFloat16", "bfloat16", "float")
complex64 = DType("Complex64", "complex64", "complex")
complex128 = DType("Complex128", "complex128", "complex")

#: The types that a bare Python number asks for.
int_ = int64
float_ = float32

#: The names of C and of numpy.
byte, short, intc, long, intp = int8, int16, int32, int64, int64
ubyte, ushort, uintc, uint, uintp = uint8, uint16, uint32, uint64, uint64
half, single, double = float16, float32, float64
cfloat, cdouble = complex64, complex128

#: The name of the class in MindSpore.
Type = DType

_ALL: Final = (
    bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, bfloat16,
    complex64, complex128,
)  # fmt: skip
number_type: Final = _ALL[1:]
int_type: Final = (int8, int16, int32, int64)
uint_type: Final = (uint8, uint16, uint32, uint64)
float_type: Final = (float16, float32, float64, bfloat16)
complex_type: Final = (complex64, complex128)
#: Numbers with a fraction, complex ones too.
inexact_type: Final = (*float_type, *complex_type)
#: Integers and floating-point numbers.
real_type: Final = _ALL[1:13]
_BY_NUMPY: Final = {dtype.numpy: dtype for dtype in _ALL if dtype is not bfloat16}
_listeners: Final[list[Callable[[np.dtype[Any]], object]]] = []
_ORDER: Final = {"bool": 0, "int": 1, "float": 2, "complex": 3}
_WEAK: Final = {bool: bool_, int: int64, float: float32, complex: complex64}


def of(numpy_dtype: Any) -> DType:
    """The element type that stands for a numpy dtype (or anything `np.dtype` takes).

    Raises:
        TypeError: numpy has the type, MindSpore does not (strings, objects, dates).

    """
    try:
        return _BY_NUMPY[numpy_dtype]
    except (KeyError, TypeError):
        pass
    if isinstance(numpy_dtype, DType):
        return numpy_dtype
    key = np.dtype(numpy_dtype).newbyteorder("=")
    if key.name == "bfloat16" and bfloat16.numpy == key:
        return bfloat16
    if key not in _BY_NUMPY:
        raise TypeError(f"a tensor cannot hold elements of type {key}; convert to one of {', '.join(map(str, _ALL))}")
    return _BY_NUMPY[key]


def when_bfloat16_is_used(listener: Callable[[np.dtype[Any]], object]) -> None:
    """Have `listener` called with numpy's bfloat16 when a program uses it for the first time.

    Numpy has no such type of its own. The package ml_dtypes has one, and takes 16 ms to import, which programs without
    bfloat16 do not pay.
    """
    _listeners.append(listener)


def _bfloat16_of_numpy() -> np.dtype[Any]:
    try:
        import ml_dtypes
    except ImportError as error:
        raise ImportError("elements of type BFloat16 need the package ml_dtypes: pip install ml_dtypes") from error
    found: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return found


def pytype_to_dtype(obj: Any) -> DType:
    """The element type that holds all of a Python type: Float64 for `float`, Complex128 for `complex`, Int64 for `int`.

    Args:
        obj: a Python type, a numpy dtype or an element type.

    Raises:
        NotImplementedError: no element type holds such objects.

    """
    if obj in (float, complex):
        return float64 if obj is float else complex128
    try:
        return type_of_python(obj)
    except TypeError as error:
        raise NotImplementedError(f"there is no element type for {obj}") from error


def type_of_python(obj: Any) -> DType:
    """The element type that operators give to a Python type: Float32 for `float`, Int64 for `int`.

    Args:
        obj: a Python type, a numpy dtype or an element type.

    """
    if isinstance(obj, type) and obj in _WEAK:
        return _WEAK[obj]
    return of(obj)


class KindOfType:
    """A kind of values that is not an element type, such as `number` or `tuple_`, for `MultitypeFuncGraph.register`.

    Args:
        name: its name there.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name

    __str__ = __repr__


number = KindOfType("Number")
tensor_type = KindOfType("Tensor")
string = KindOfType("String")
tuple_ = KindOfType("Tuple")
list_ = KindOfType("List")
type_none = KindOfType("None")
function = KindOfType("Function")

_KINDS: Mapping[type, KindOfType] = {list: list_, tuple: tuple_, str: string, type(None): type_none}


def dtype_to_nptype(dtype: DType) -> np.dtype[Any]:
    """Numpy's name for an element type."""
    return dtype.numpy


def dtype_to_pytype(dtype: DType | KindOfType) -> type:
    """The Python type whose values an element type or a kind of values stands for.

    Raises:
        KeyError: it stands for no Python type, such as `number`.

    """
    if isinstance(dtype, KindOfType):
        return {kind: python for python, kind in _KINDS.items()}[dtype]
    return {"bool": bool, "int": int, "float": float, "complex": complex}[dtype.kind]


def get_py_obj_dtype(obj: Any) -> DType | KindOfType:
    """The element type of a tensor, or what stands for the type of a Python value: `list_` for a list.

    Args:
        obj: a tensor, a number, a list, a tuple, a string or None; or the type of one.

    Raises:
        NotImplementedError: nothing stands for its type.

    """
    if isinstance(getattr(obj, "dtype", None), DType):
        return obj.dtype  # type: ignore[no-any-return]
    python = obj if isinstance(obj, type) else type(obj)
    return _KINDS[python] if python in _KINDS else pytype_to_dtype(python)


def promote(x: DType, y: DType) -> DType:
    """The element type of an operation on two tensors, by MindSpore's rules.

    A float meets an integer as that float (Int64 with Float16 gives Float16, where numpy says Float64). Otherwise the
    smallest type that holds both (Int8 with UInt8 gives Int16, Float16 with BFloat16 Float32).

    Raises:
        TypeError: there is no such type (UInt64 with a signed integer).

    """
    if x is y:
        return x
    if x.kind != y.kind:
        high, low = (x, y) if _ORDER[x.kind] > _ORDER[y.kind] else (y, x)
        if high.kind == "complex" and low is float64:
            return complex128
        return high
    if bfloat16 in (x, y):
        # Every other float but Float16 holds its numbers.
        other = y if x is bfloat16 else x
        return float32 if other is float16 else other
    met = of(np.promote_types(x.numpy, y.numpy))
    if met.kind != x.kind:
        raise TypeError(f"no integer type holds both {x} and {y}; cast one of them")
    return met


def result_type(x: Any, y: Any) -> DType:
    """The element type of an operation on two operands, each an element type or a Python number.

    A Python number gives way: it keeps the tensor's type unless it is of a higher kind (an Int32 tensor with 0.5 gives
    Float32, a Float16 tensor with 0.5 stays Float16).
    """
    x_strong, y_strong = isinstance(x, DType), isinstance(y, DType)
    if x_strong and y_strong:
        return promote(x, y)
    if not x_strong and not y_strong:
        return promote(_weak(type(x)), _weak(type(y)))
    strong, weak = (x, _weak(type(y))) if x_strong else (y, _weak(type(x)))
    if _ORDER[weak.kind] <= _ORDER[strong.kind]:
        return strong  # type: ignore[no-any-return]
    return promote(strong, weak) if weak.kind != "complex" or strong is not float64 else complex128


def _weak(kind: type) -> DType:
    """What a Python number's type stands for; one made of it, such as the type of `tensor.size`, counts as it."""
    if kind in _WEAK:
        return _WEAK[kind]
    known = next((base for base in kind.__mro__ if base in _WEAK), None)
    if known is None:
        raise TypeError(f"expected a tensor or a Python number, not a {kind.__name__}")
    return _WEAK[known]
