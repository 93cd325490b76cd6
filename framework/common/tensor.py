"""The tensor: an array with an element type, and the number of the tape's entry that made it.

What operators and methods compute is bound by `framework.ops.tensor_methods`: here is what needs no operator.
"""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Number
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from framework.common import device
from framework.common import dtype as mstype
from framework.common.device import Array
from framework.common.dtype import DType
from framework.common.holding import own

__all__ = ["Tensor", "from_numpy", "is_tensor", "tensor"]


class Shape(tuple[int, ...]):
    """A shape: `t.shape`, and in the older spelling `t.shape()`."""

    __slots__ = ()

    def __call__(self) -> tuple[int, ...]:
        """The shape itself."""
        return self


class Size(int):
    """A number of elements: `t.size`, and in the older spelling `t.size()`."""

    __slots__ = ()

    def __call__(self) -> int:
        """The number itself."""
        return int(self)


#: The shape of a placeholder of any rank, as MindSpore writes it.
_ANY_RANK = (-2,)


class Placeholder:
    """Shape and element type without elements, as a tensor has in an `input_signature`.

    Args:
        shape: dimensions; None for one of any length.
        dtype: the element type.
    """

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: tuple[Any, ...], dtype: DType) -> None:
        self.shape = shape
        self.dtype = dtype.numpy

    def copy(self) -> Placeholder:
        """The same: it never changes."""
        return self

    def __getattr__(self, name: str) -> Any:
        raise TypeError(
            f"a tensor of shape {self.shape} without elements is only for input_signature: pass the elements to "
            "Tensor(), or init="
        )


class Tensor:
    """An n-dimensional array of one element type.

    Its elements never change while an operation uses them: an assignment (`t[0] = 1`) gives the tensor a new array.

    Args:
        input_data: a number, nested lists or tuples of numbers, a numpy array (copied) or a tensor.
        dtype: the element type; where it is left out that of the data: Float32 for Python floats, Int64 for ints.
        shape: the shape of a tensor made by `init`; without elements and `init`, that of a tensor which only stands for
            others in an `input_signature`, where None is a dimension of any length, and None alone any shape.
        init: an initializer that makes the elements.
        const_arg: whether a compiled function takes this tensor as a constant. It is then compiled for its elements,
            and again for others.

    Raises:
        TypeError: the data is of no element type that a tensor can hold, `dtype` is no element type, or `const_arg` is
            not True or False.
        ValueError: there is an initializer without shape and dtype, or a shape beside the elements.

    Examples:
        >>> Tensor([[1.0, 2.0], [3.0, 4.0]]).shape
        (2, 2)

    """

    __slots__ = ("__weakref__", "_data", "_is_constant", "_node", "_origin")

    _data: Any
    _node: int
    #: Of a tensor that was taken from another by an index, that tensor and the index.
    _origin: tuple[Tensor, Any]
    #: Set by `set_const_arg` alone: False where it is not set.
    _is_constant: bool

    #: numpy leaves `array + tensor` to the tensor.
    __array_ufunc__ = None

    def __init__(
        self,
        input_data: Any = None,
        dtype: DType | None = None,
        shape: Any = None,
        init: Any = None,
        const_arg: bool = False,
    ) -> None:
        self._node = 0
        if const_arg is not False:
            self.set_const_arg(const_arg)
        if dtype is not None and not isinstance(dtype, DType):
            raise TypeError(f"dtype must be an element type such as mindspore.float32, not {dtype!r}")
        if init is not None:
            if shape is None or dtype is None:
                raise ValueError("Tensor(init=...) also needs shape and dtype")
            made = np.empty((shape,) if isinstance(shape, int) else tuple(shape), dtype.numpy)
            init(made)
            self._data = device.to_device(made)
        elif input_data is None and (shape is not None or dtype is not None):
            made_shape = (shape,) if isinstance(shape, int) else _ANY_RANK if shape is None else tuple(shape)
            self._data = Placeholder(made_shape, dtype or mstype.float32)
        elif shape is not None:
            raise ValueError(
                f"a tensor has the shape of its elements: leave out shape={shape}, or reshape the elements"
            )
        else:
            self._data = _array_of(input_data, dtype)

    def init_data(self, slice_index: int | None = None, shape: Any = None, opt_shard_group: Any = None) -> Tensor:
        """The tensor itself, since its elements are made with it.

        Args:
            slice_index: accepted for compatibility; has no effect, as no tensor is divided among devices.
            shape: accepted for compatibility.
            opt_shard_group: accepted for compatibility.

        Returns:
            This tensor.
        """
        return self

    @property
    def const_arg(self) -> bool:
        """Whether a compiled function takes this tensor as a constant."""
        return getattr(self, "_is_constant", False)

    def set_const_arg(self, const_arg: bool = True) -> None:
        """Say whether a compiled function takes this tensor as a constant.

        Args:
            const_arg: True for a constant: a function is compiled for its elements, and again for others.

        Raises:
            TypeError: it is not True or False.
        """
        if not isinstance(const_arg, bool):
            raise TypeError(f"const_arg must be True or False, not {const_arg!r}")
        self._is_constant = const_arg

    def to_tensor(self) -> Tensor:
        """The tensor itself: what `initializer(...)` gives in MindSpore 1.x is made into a tensor by this."""
        return self

    @property
    def shape(self) -> Shape:
        """The number of elements along each dimension."""
        return Shape(self._data.shape)

    @property
    def dtype(self) -> DType:
        """The element type."""
        return mstype.of(self._data.dtype)

    @property
    def size(self) -> Size:
        """The number of elements."""
        return Size(self._data.size)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return cast("int", self._data.ndim)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return cast("int", self._data.itemsize)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return cast("int", self._data.nbytes)

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next along each dimension."""
        return cast("tuple[int, ...]", self._data.strides)

    def dim(self) -> int:
        """The number of dimensions."""
        return self.ndim

    def asnumpy(self) -> Array:
        """The elements as a numpy array, which shares memory with the tensor on a CPU: copy it before changing it."""
        return device.to_numpy(self._data)

    def numpy(self) -> Array:
        """The same as `asnumpy`."""
        return self.asnumpy()

    def held_array(self) -> Array | None:
        """The elements as a numpy array that stays as it is while somebody holds it, without a copy where that goes.

        None where somebody else holds the tensor's array already, and might change it. What records tensors asks for it
        (`summaries.writing.arrays`).
        """
        array = self._data  # Held by who asks, as `own` expects.
        return None if own(self) is None else device.to_numpy(array)

    @staticmethod
    def from_numpy(array: Array) -> Tensor:
        """A tensor that shares memory with a numpy array."""
        if not isinstance(array, np.ndarray):
            raise TypeError(f"from_numpy takes a numpy array, not a {type(array).__name__}")
        mstype.of(array.dtype)
        return from_array(device.to_device(array))

    def item(self, *index: int) -> Any:
        """One element as a Python number: the only one, or that at a flat or full index."""
        return self.asnumpy().item(*index)

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers."""
        return self.asnumpy().tolist()

    def copy(self) -> Tensor:
        """A tensor with a copy of the elements, through which gradients flow as through this one."""
        return from_array(self._data.copy(), self._node)

    def value(self) -> Tensor:
        """The tensor itself; of a Parameter, a tensor with its elements of this moment."""
        return self

    def set_dtype(self, dtype: DType) -> Tensor:
        """Convert the elements, in place, and return the tensor."""
        self._data = self._data.astype(dtype.numpy)
        self._node = 0
        return self

    def assign_value(self, value: Tensor) -> Tensor:
        """Take over another tensor's elements, and return this tensor."""
        self._data = value._data
        self._node = value._node
        return self

    def __repr__(self) -> str:
        values = np.array2string(self.asnumpy(), separator=", ", prefix=" ")
        return f"Tensor(shape={list(self.shape)}, dtype={self.dtype}, value=\n{values})"

    def __str__(self) -> str:
        return str(self.asnumpy())

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec else str(self)

    def __hash__(self) -> int:
        return id(self)

    def __len__(self) -> int:
        if self.ndim == 0:
            raise TypeError("len() of a tensor without dimensions")
        return cast("int", self._data.shape[0])

    def __contains__(self, element: object) -> bool:
        """Whether an element equals a number, or one of the elements that it meets of a tensor."""
        if not isinstance(element, Tensor | Number):
            return False
        return bool((self == element).asnumpy().any())

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous: reduce the tensor of shape "
                f"{tuple(self.shape)} by .any() or .all()"
            )
        return bool(self._data.item())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __index__(self) -> int:
        if self.size != 1 or self.dtype.kind != "int":
            raise TypeError(f"only an integer tensor with one element can be an index, not one of {self.dtype}")
        return int(self.item())

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.array(self.asnumpy(), dtype=dtype, copy=copy)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        return self.copy()

    def __getstate__(self) -> object:
        return {"array": self.asnumpy(), **getattr(self, "__dict__", {})}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._data = device.to_device(state.pop("array"))
        self._node = 0
        if state:
            self.__dict__.update(state)

    if TYPE_CHECKING:
        # Bound by framework.ops.tensor_methods.
        def __getattr__(self, name: str) -> Any: ...
        def __add__(self, other: Tensor | Array | complex) -> Tensor: ...
        def __radd__(self, other: Tensor | Array | complex) -> Tensor: ...
        def __sub__(self, other: Tensor | Array | complex) -> Tensor: ...
        def __rsub__(self, other: Tensor | Array | complex) -> Tensor: ...
        def __mul__(self, other: Tensor | Array | complex) -> Tensor: ...
        def __rmul__(self, other: Tensor | Array | complex) -> Tensor: ...
        def __truediv__(self, other: Tensor | Array | complex) -> Tensor: ...
        def __rtruediv__(self, other: Tensor | Array | complex) -> Tensor: ...
        def __floordiv__(self, other: Tensor | Array | complex) -> Tensor: ...
        def __mod__(self, other: Tensor | Array | complex) -> Tensor: ...
        def __pow__(self, other: Tensor | Array | complex) -> Tensor: ...
        def __rpow__(self, other: Tensor | Array | complex) -> Tensor: ...
        def __matmul__(self, other: Tensor | Array | complex) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def __lt__(self, other: Tensor | Array | complex) -> Tensor: ...
        def __le__(self, other: Tensor | Array | complex) -> Tensor: ...
        def __gt__(self, other: Tensor | Array | complex) -> Tensor: ...
        def __ge__(self, other: Tensor | Array | complex) -> Tensor: ...
        def __eq__(self, other: object) -> Tensor: ...  # type: ignore[override]
        def __ne__(self, other: object) -> Tensor: ...  # type: ignore[override]
        def __getitem__(self, index: Any) -> Tensor: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...
        def __iter__(self) -> Iterator[Tensor]: ...


def from_array(array: Array, node: int = 0) -> Tensor:
    """A tensor around an array of the device, unchecked and not copied; for kernels' results.

    Args:
        array: a numpy or cupy array of an element type that tensors hold.
        node: number of the tape's entry that made it, 0 for none.

    """
    made = Tensor.__new__(Tensor)
    made._data = array
    made._node = node
    return made


def tensor(
    input_data: Any = None, dtype: DType | None = None, shape: Any = None, init: Any = None, const_arg: bool = False
) -> Tensor:
    """Make a tensor; arguments as of `Tensor`."""
    return Tensor(input_data, dtype, shape, init, const_arg)


def is_tensor(obj: object) -> bool:
    """Whether an object is a tensor; a Parameter is one."""
    return isinstance(obj, Tensor)


def from_numpy(array: Array) -> Tensor:
    """A tensor that shares memory with a numpy array, on a CPU.

    Raises:
        TypeError: it is no array.

    """
    return Tensor.from_numpy(array)


def _array_of(data: Any, dtype: DType | None) -> Array:
    """A new array on the device with these elements."""
    if isinstance(data, Tensor):
        copied: Array = data._data.copy() if dtype is None else data._data.astype(dtype.numpy)
        return copied
    if data is None:
        raise TypeError("Tensor() needs the elements, or shape and init")
    try:
        array = np.array(_plain(data))
    except ValueError as error:
        raise TypeError(f"For Tensor, the input_data is {data} that contain unsupported element.") from error
    wanted = dtype
    if wanted is None:
        wanted = mstype.of(array.dtype)
        if wanted is mstype.float64 and not _names_its_type(data):
            wanted = mstype.float32
    return device.to_device(array.astype(wanted.numpy, copy=False))


def _plain(data: Any) -> Any:
    """Nested lists in which tensors have become arrays."""
    if isinstance(data, list | tuple):
        return [_plain(item) for item in data]
    return data.asnumpy() if isinstance(data, Tensor) else data


def _names_its_type(data: object) -> bool:
    """Whether the elements come from numpy, which says how wide they are, and not from Python floats."""
    while isinstance(data, list | tuple) and data:
        data = data[0]
    return isinstance(data, np.ndarray | np.generic | Tensor)
