"""The machine that a program runs on: system, processors, memory and accelerators."""

import ctypes
import os
import platform
import re
import sys
from dataclasses import dataclass
from pathlib import Path

MOST_DEVICES = 64
"""Maximum number of devices that are listed."""

_NVIDIA = Path("/proc/driver/nvidia/version")
_CPUS = Path("/proc/cpuinfo")
_NAME_BYTES = 96


@dataclass(frozen=True, slots=True)
class Device:
    """A processor or an accelerator.

    Attributes:
        kind: "cpu", "gpu" or "npu".
        name: what its maker calls it.
        memory_bytes: of its own; 0 where that is not known.
    """

    kind: str
    name: str
    memory_bytes: int = 0


def system_name() -> str:
    """Return system, release and machine, with the distribution where there is one."""
    system = os.uname()
    name = f"{system.sysname} {system.release} {system.machine}"
    try:
        return f"{name} ({platform.freedesktop_os_release()['PRETTY_NAME']})"
    except (OSError, KeyError):
        return name


def python_name() -> str:
    """Return the version of Python, with the implementation if it is not CPython."""
    version = sys.version.split()[0]
    return version if sys.implementation.name == "cpython" else f"{version} ({sys.implementation.name})"


def usable_cpus() -> int:
    """Return the number of processors that the program may use."""
    return len(os.sched_getaffinity(0))


def memory_bytes() -> int:
    """Return the memory of the machine in bytes; 0 if unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError):
        return 0


def devices() -> list[Device]:
    """Return processors and accelerators that the system reports."""
    return [*_cpus(), *_npus(), *_gpus()][:MOST_DEVICES]


def _cpus() -> list[Device]:
    try:
        with _CPUS.open("rb") as file:
            match = re.search(rb"^model name\s*:\s*(.+)$", file.read(16_384), re.MULTILINE)
    except OSError:
        return []
    return [Device("cpu", match[1].decode(errors="replace").strip())] if match else []


def _npus() -> list[Device]:
    try:
        names = sorted(name for name in os.listdir("/dev") if re.fullmatch(r"davinci\d+", name))  # noqa: PTH208
    except OSError:
        return []
    return [Device("npu", f"Ascend {name}") for name in names]


def _gpus() -> list[Device]:
    """Return the devices that NVML reports; unlike compute libraries, it creates no context on the device."""
    if not _NVIDIA.exists():
        return []
    try:
        library = ctypes.CDLL("libnvidia-ml.so.1")
        if library.nvmlInit_v2():
            return []
        try:
            return _listed(library)
        finally:
            library.nvmlShutdown()
    except (OSError, AttributeError):
        return []


class _Memory(ctypes.Structure):
    _fields_ = (("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong))


def _listed(library: ctypes.CDLL) -> list[Device]:
    count = ctypes.c_uint()
    library.nvmlDeviceGetCount_v2(ctypes.byref(count))
    found: list[Device] = []
    for number in range(min(count.value, MOST_DEVICES)):
        handle, name, memory = ctypes.c_void_p(), ctypes.create_string_buffer(_NAME_BYTES), _Memory()
        if library.nvmlDeviceGetHandleByIndex_v2(number, ctypes.byref(handle)):
            continue
        library.nvmlDeviceGetName(handle, name, _NAME_BYTES)
        library.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory))
        found.append(Device("gpu", name.value.decode(errors="replace"), memory.total))
    return found
