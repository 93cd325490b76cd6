"""Take arrays out of what a training hands over, and copy them before the training goes on.

Called by `SummaryWriter` in the training's thread, so nothing is computed here. Tensors of any library are taken
by what they can do; no library is imported for them.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from summaries.checks import type_name

# Below, making a new array is as quick as reusing memory.
_SMALL_BYTES = 64 << 10
# Below, a copy costs a training less than the other array that its next step has to make while this one is held.
_HELD_BYTES = 1 << 20
# Memory that is kept for reuse while nothing is recorded.
_KEPT_BYTES = 64 << 20
# After so many bytes another thread gets its turn, if it has waited for long.
_COPIED_AT_ONCE = 4 << 20


@dataclass(frozen=True, slots=True)
class Held:
    """An array that nobody changes any more, given to a `SummaryWriter`, which then copies nothing."""

    array: NDArray[Any]


@dataclass(frozen=True, slots=True)
class Taken:
    """An array with what is known of it.

    Attributes:
        array: the numbers, maybe in memory that the training goes on to change.
        element: name of the elements' type; `bfloat16` has no type of numpy's own, the array is then float32.
        fresh: whether nobody changes the array any more.
    """

    array: NDArray[Any]
    element: str
    fresh: bool


def take_array(tag: str, value: object, *, real: bool = False) -> Taken:
    """Return `value` as a numpy array, without copying what need not be copied.

    Args:
        tag: named in the error.
        value: a numpy array, a tensor (anything with `detach().cpu().numpy()`, `asnumpy()`, `numpy()` or
            `__array__`), a number, nested lists of numbers, or what is `Held`. See `held_array` for what is not copied.
        real: whether complex numbers are refused.

    Raises:
        TypeError: `value` is no array of numbers.
    """
    try:
        taken = _take(value)
    except (TypeError, ValueError, RuntimeError) as error:
        message = f"The value of {tag!r} has to be an array of numbers, but a {type_name(value)} gave none: {error}"
        raise TypeError(message) from error
    if taken.array.dtype.kind not in ("biuf" if real else "biufc"):
        what = f"{type_name(value)} of {taken.array.dtype}"
        numbers = "real numbers" if real else "numbers"
        raise TypeError(f"The value of {tag!r} has to be an array of {numbers}, but it is a {what}.")
    return taken


def held_array(value: Any) -> NDArray[Any] | None:
    """The array of a large tensor of a library that can promise not to change it while it is held; else None.

    Args:
        value: anything; such tensors have `nbytes` and `held_array()`, which gives an array or None.
    """
    hold = getattr(value, "held_array", None)
    if hold is None or value.nbytes < _HELD_BYTES:
        return None
    array: NDArray[Any] | None = hold()
    return array


class BufferPool:
    """Copies arrays into memory that is used again: new pages from the system would cost more than the copy.

    Any number of threads may copy at once, while one of them, or one more, gives back.
    """

    def __init__(self) -> None:
        self._free: dict[int, list[NDArray[np.uint8]]] = {}

    def copy(self, array: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.uint8] | None]:
        """Return a copy of `array`, C-contiguous, in this machine's byte order, and the buffer to give back."""
        kind = array.dtype.newbyteorder("=")
        size = array.size * kind.itemsize
        if size < _SMALL_BYTES:
            return np.array(array, kind, order="C"), None
        buffer = self._take(1 << (size - 1).bit_length())
        copied = buffer[:size].view(kind).reshape(array.shape)
        if array.dtype == kind and array.flags.c_contiguous:
            _copy_bytes(buffer, array)
        else:
            np.copyto(copied, array)
        return copied, buffer

    def give_back(self, buffer: NDArray[np.uint8] | None) -> None:
        """Let `buffer` be used again. Nothing may look at the copy in it any more."""
        if buffer is not None and self._kept() + buffer.size <= _KEPT_BYTES:
            self._free.setdefault(buffer.size, []).append(buffer)

    def _kept(self) -> int:
        """How many bytes wait for their next use."""
        return sum(size * len(buffers) for size, buffers in self._free.items())

    def _take(self, size: int) -> NDArray[np.uint8]:
        # The training's threads take and the writer's thread gives back; a pop is one step for all of them.
        try:
            return self._free[size].pop()
        except (KeyError, IndexError):
            return np.empty(size, np.uint8)


def _copy_bytes(buffer: NDArray[np.uint8], array: NDArray[Any]) -> None:
    """Copy a contiguous array without letting go of Python's lock.

    `numpy.copyto` lets go of it, and the training would then wait for milliseconds until the writer's thread, busy
    with the array before, hands it back.
    """
    target, source = buffer.data, np.asarray(array).reshape(-1).view(np.uint8).data
    for start in range(0, len(source), _COPIED_AT_ONCE):
        end = min(start + _COPIED_AT_ONCE, len(source))
        target[start:end] = source[start:end]


def _take(value: Any) -> Taken:
    if isinstance(value, np.ndarray):
        return _named(value, fresh=False)
    if isinstance(value, Held):
        return _named(value.array, fresh=True)
    if (array := held_array(value)) is not None:
        return _named(array, fresh=True)
    fresh = isinstance(value, list | tuple | int | float | complex)
    if not hasattr(value, "asnumpy") and hasattr(value, "detach"):
        value = value.detach()
        fresh = getattr(value, "is_cpu", None) is False  # Then the copy from the device is nobody else's.
        value = value.cpu()
    if str(getattr(value, "dtype", "")).lower().endswith("bfloat16") and callable(getattr(value, "float", None)):
        return Taken(_numpy(value.float()), "bfloat16", True)
    return _named(_numpy(value), fresh=fresh)


def _numpy(value: Any) -> NDArray[Any]:
    for name in ("asnumpy", "numpy"):
        method = getattr(value, name, None)
        if callable(method):
            return np.asarray(method())
    return np.asarray(value)


def _named(array: NDArray[Any], *, fresh: bool) -> Taken:
    name = _name_of(array.dtype)
    if name == "bfloat16":
        return Taken(array.astype(np.float32), name, True)
    return Taken(array, name, fresh)


@cache
def _name_of(dtype: np.dtype[Any]) -> str:
    """The name of a type, which numpy puts together anew each time."""
    return str(dtype.name)
