"""Which array module computes: numpy on the CPU, cupy on a GPU; `context.set_context(device_target=)` chooses."""

from __future__ import annotations

from typing import Any

import numpy as np

from framework.common.allocator import keep_pages

__all__ = ["array_module", "device_target", "set_device_target", "to_device", "to_numpy", "when_changed"]

_TARGETS = ("CPU", "GPU")

#: The module that makes new arrays; read it through `array_module`, since it changes with the device.
_xp: Any = np
_target = "CPU"
_listeners: list[Any] = []
keep_pages()


def array_module() -> Any:
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


def when_changed(listener: Any) -> None:
    """Have `listener(array_module)` called now and after each change of the device."""
    _listeners.append(listener)
    listener(_xp)


def _cupy() -> Any:
    try:
        import cupy
    except ImportError as error:
        raise RuntimeError(
            "device_target='GPU' needs cupy: install the package that fits your CUDA version, such as cupy-cuda12x"
        ) from error
    if cupy.cuda.runtime.getDeviceCount() == 0:
        raise RuntimeError("device_target='GPU', but cupy finds no GPU: use device_target='CPU'")
    return cupy


def to_numpy(array: Any) -> np.ndarray[Any, Any]:
    """The array in main memory; one that is there already is returned as it is."""
    return array if isinstance(array, np.ndarray) else array.get()


def to_device(array: Any) -> Any:
    """The array where the device computes; one that is there already is returned as it is."""
    return _xp.asarray(array)
