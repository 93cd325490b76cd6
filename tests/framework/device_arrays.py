"""An array module that behaves as cupy does where cupy is stricter than numpy, for machines without a GPU.

Arrays are numpy's, wrapped: nothing turns them into numpy arrays unasked (`get` does), numpy arrays do not mix with
them, reductions give arrays in place of numbers, and what cupy does not have is not there.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

__all__ = ["DeviceArray", "module"]

#: What numpy offers and cupy 14 does not.
MISSING = {
    "apply_over_axes", "bmat", "errstate", "frompyfunc", "geomspace", "histogram_bin_edges", "insert", "matvec",
    "nanpercentile", "nanquantile", "ndenumerate", "nditer", "unstack", "vecdot", "vecmat",
}  # fmt: skip
#: Which ufuncs have which methods there.
METHODS = {
    "at": {"add", "subtract", "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor"},
    "reduce": {"add", "multiply"},
    "accumulate": {"add", "multiply"},
    "reduceat": {"add"},
}
#: Reductions, which take neither `where` nor `initial` there.
REDUCTIONS = {"sum", "prod", "max", "min", "amax", "amin", "mean", "any", "all"}
#: Functions that take numpy arrays and numbers and put them on the device.
UPLOADS = {"array", "asarray", "ascontiguousarray", "asanyarray"}


def inside(value: Any, *, may_upload: bool = False) -> Any:
    """What numpy computes with; numpy arrays are refused, unless they are to be put on the device."""
    if isinstance(value, DeviceArray):
        return value.held
    if isinstance(value, np.ndarray) and not may_upload:
        raise TypeError("Unsupported type <class 'numpy.ndarray'>: put it on the device with xp.asarray")
    if isinstance(value, list | tuple):
        return type(value)(inside(item, may_upload=may_upload) for item in value)
    return value


def outside(value: Any) -> Any:
    """A result as an array of the device; numbers of numpy are arrays there."""
    if isinstance(value, np.ndarray | np.generic):
        return DeviceArray(np.asarray(value))
    if isinstance(value, list | tuple):
        return tuple(map(outside, value)) if isinstance(value, tuple) else [outside(item) for item in value]
    return value


class DeviceArray:
    """An array of the device."""

    __slots__ = ("held",)
    __array_priority__ = 100

    def __init__(self, held: Any) -> None:
        self.held = held

    def get(self) -> Any:
        """The elements in main memory."""
        return self.held.copy()

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Use `.get()` to construct one.")

    def __array_function__(self, function: Any, *_: Any) -> Any:
        raise TypeError(f"numpy.{function.__name__} is called on an array of the device: call that of xp")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or any(isinstance(item, np.ndarray) for item in inputs):
            return NotImplemented
        return outside(ufunc(*inside(inputs), **{name: inside(item) for name, item in options.items()}))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__array_"):
            # Otherwise numpy would find the memory of the elements by itself.
            raise AttributeError(name)
        found = getattr(self.held, name)
        return function(name, found) if callable(found) else outside(found)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "shape":
            self.held.shape = value
        else:
            object.__setattr__(self, name, value)

    def __getitem__(self, index: Any) -> Any:
        return outside(self.held[inside(index, may_upload=True)])

    def __setitem__(self, index: Any, value: Any) -> None:
        self.held[inside(index, may_upload=True)] = inside(value)

    def __len__(self) -> int:
        return len(self.held)

    def __iter__(self) -> Any:
        return map(outside, self.held)

    def __repr__(self) -> str:
        return repr(self.held)

    def __str__(self) -> str:
        return str(self.held)


def _operator(name: str) -> Any:
    def apply(self: DeviceArray, *others: Any) -> Any:
        made = getattr(self.held, name)(*inside(others))
        return self if made is self.held else made if made is NotImplemented else outside(made)

    return apply


_OPERATORS = (
    "add", "radd", "iadd", "sub", "rsub", "isub", "mul", "rmul", "imul", "truediv", "rtruediv", "itruediv", "floordiv",
    "rfloordiv", "mod", "rmod", "divmod", "pow", "rpow", "matmul", "rmatmul", "and", "rand", "iand", "or", "ror", "ior",
    "xor", "rxor", "ixor", "lshift", "rshift", "neg", "pos", "abs", "invert", "eq", "ne", "lt", "le", "gt", "ge",
)  # fmt: skip
for _name in _OPERATORS:
    setattr(DeviceArray, f"__{_name}__", _operator(f"__{_name}__"))


def _number(name: str) -> Any:
    return lambda self: getattr(self.held, name)()


for _name in ("bool", "int", "float", "complex", "index"):
    setattr(DeviceArray, f"__{_name}__", _number(f"__{_name}__"))


def function(name: str, of_numpy: Any) -> Any:
    """A function of the module, or a method of an array."""

    def call(*given: Any, **options: Any) -> Any:
        may_upload = name in UPLOADS
        if name in ("sum", "prod", "max", "min", "amax", "amin", "mean", "any", "all") and options.keys() & {
            "where",
            "initial",
        }:
            raise TypeError(f"{name}() got an unexpected keyword argument")
        if name == "searchsorted" and given[0].ndim > 1:
            raise ValueError("object too deep for desired array")
        arguments = inside(given, may_upload=may_upload)
        made = of_numpy(*arguments, **{key: inside(item, may_upload=may_upload) for key, item in options.items()})
        if options.get("out") is not None:
            return options["out"]
        return made if name in ("item", "tolist", "shape", "ndim", "result_type", "can_cast") else outside(made)

    for method in METHODS if isinstance(of_numpy, np.ufunc) else ():
        if name in METHODS[method]:
            setattr(call, method, function(f"{name}.{method}", getattr(of_numpy, method)))
    return call


class _Module(types.ModuleType):
    """A module of numpy, with its functions for arrays of the device."""

    def __init__(self, of_numpy: types.ModuleType, name: str) -> None:
        super().__init__(name)
        self._of_numpy = of_numpy

    def __getattr__(self, name: str) -> Any:
        if name in MISSING or not hasattr(self._of_numpy, name):
            raise AttributeError(f"module 'cupy' has no attribute {name!r}")
        found = getattr(self._of_numpy, name)
        if isinstance(found, types.ModuleType):
            return _Module(found, f"{self.__name__}.{name}")
        if callable(found) and not isinstance(found, type):
            return function(name, found)
        return found


def module() -> types.ModuleType:
    """What `import cupy` may give."""
    made = _Module(np, "cupy")
    made.ndarray = DeviceArray  # type: ignore[attr-defined]
    made.asnumpy = DeviceArray.get  # type: ignore[attr-defined]
    made.cuda = types.SimpleNamespace(runtime=types.SimpleNamespace(getDeviceCount=lambda: 1))  # type: ignore[attr-defined]
    return made
