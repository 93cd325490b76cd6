"""MindSpore's `runtime`: how the device executes. The CPU executes each operator at once, so there is little to set."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

__all__ = ["empty_cache", "launch_blocking", "set_cpu_affinity", "set_memory", "synchronize"]


def launch_blocking() -> None:
    """Let each operator finish before the next one begins. The CPU always does."""


def synchronize() -> None:
    """Wait until the device has finished all operators. On the CPU they have finished."""


def empty_cache() -> None:
    """Give memory of the device back. The CPU's memory belongs to Python, which gives it back itself."""


def set_memory(
    init_size: str = "2GB", increase_size: str = "2GB", max_size: str = "1024GB", optimize_level: str = "O0",
    huge_page_reserve_size: str = "0GB",
) -> None:  # fmt: skip
    """Check the settings of a device's memory. They have no effect on the CPU, as in MindSpore.

    Args:
        init_size: memory to take at the start, such as "2GB".
        increase_size: memory to take when more is needed.
        max_size: the most memory to take.
        optimize_level: "O0" or "O1".
        huge_page_reserve_size: memory in huge pages.

    Raises:
        ValueError: a size has another form, or the level another value.

    """
    for name, size in (("init_size", init_size), ("increase_size", increase_size), ("max_size", max_size)):
        if not (size.endswith("GB") and _is_number(size[:-2])):
            raise ValueError(f"set_memory: {name} must have the form '2GB', not {size!r}")
    if optimize_level not in ("O0", "O1"):
        raise ValueError(f"set_memory: optimize_level must be 'O0' or 'O1', not {optimize_level!r}")


def set_cpu_affinity(
    enable_affinity: bool, affinity_cpu_list: Sequence[str] | Mapping[str, object] | None = None
) -> None:
    """Let this process run on some cores alone.

    Args:
        enable_affinity: whether to bind the process; False lets it run on all cores.
        affinity_cpu_list: the cores as ranges such as "0-3"; None for those that it may use now.

    Raises:
        ValueError: a range has another form, or there are no such cores.
        OSError: the operating system cannot bind processes.

    """
    if not hasattr(os, "sched_setaffinity"):
        raise OSError("set_cpu_affinity: this operating system cannot bind a process to cores")
    if not enable_affinity:
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
        return
    if affinity_cpu_list is None:
        return
    if isinstance(affinity_cpu_list, Mapping):
        raise ValueError("set_cpu_affinity: give the cores as a list of ranges, such as ['0-3']")
    cores = {core for text in affinity_cpu_list for core in _cores(text)}
    try:
        os.sched_setaffinity(0, cores)
    except OSError as error:
        raise ValueError(f"set_cpu_affinity: there are no cores {sorted(cores)} for this process") from error


def _cores(text: str) -> range:
    first, dash, last = text.partition("-")
    if not first.isdigit() or (dash and not last.isdigit()):
        raise ValueError(f"set_cpu_affinity: a range of cores has the form '0-3', not {text!r}")
    return range(int(first), int(last or first) + 1)


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdigit()
