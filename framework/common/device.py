"""Which array module computes: numpy on the CPU, cupy on a GPU; `context.set_context(device_target=)` chooses.

`Array` and `ArrayModule` are the types of what computes, and of what it computes with.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np

from framework.common.allocator import keep_pages

__all__ = [
    "Array",
    "ArrayModule",
    "array_module",
    "device_target",
    "set_device_target",
    "to_device",
    "to_numpy",
    "when_changed",
]

#: An array of numpy, or one with its methods, such as one of cupy.
Array: TypeAlias = np.ndarray[Any, Any]


class ArrayModule(Protocol):
    """The module that computes: numpy, or one with its functions, such as cupy."""

    def __getattr__(self, name: str) -> Any: ...


_TARGETS = ("CPU", "GPU")

#: The module that makes new arrays; read it through `array_module`, since it changes with the device.
_xp: ArrayModule = np
_target = "CPU"
_listeners: list[Callable[[ArrayModule], object]] = []
keep_pages()


def array_module() -> ArrayModule:
    """Numpy or cupy."""
    return _xp


def device_target() -> str:
    """The device: "CPU" or "GPU"."""
    return _target


def set_device_target(target: str) -> None:
    """Compute on the CPU (numpy) or on a GPU (cupy) from now on; tensors that exist stay where they are.

    Raises:
        ValueError: there is no such device here.
        RuntimeError: cupy is not installed, or finds no GPU.

    """
    global _xp, _target
    if target not in _TARGETS:
        raise ValueError(f"device_target must be one of {', '.join(_TARGETS)}, not {target!r}")
    _xp = np if target == "CPU" else _cupy()
    _target = target
    for listener in _listeners:
        listener(_xp)


def when_changed(listener: Callable[[ArrayModule], object]) -> None:
    """Have `listener(array_module)` called now and after each change of the device."""
    _listeners.append(listener)
    listener(_xp)


def _cupy() -> ArrayModule:
    try:
        import cupy
    except ImportError as error:
        raise RuntimeError(
            "device_target='GPU' needs cupy: install the package that fits your CUDA version, such as cupy-cuda12x"
        ) from error
    if cupy.cuda.runtime.getDeviceCount() == 0:
        raise RuntimeError("device_target='GPU', but cupy finds no GPU: use device_target='CPU'")
    found: ArrayModule = cupy
    return found


def to_numpy(array: Any) -> Array:
    """The array in main memory; one that is there already is returned as it is."""
    return array if isinstance(array, np.ndarray) else array.get()


def to_device(array: Array) -> Array:
    """The array where the device computes; one that is there already is returned as it is."""
    placed: Array = _xp.asarray(array)
    return placed
