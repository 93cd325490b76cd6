"""Settings of devices that MindSpore keeps in modules by device: `mindspore.device_context.cpu.op_tuning`."""

from __future__ import annotations

from framework import context

__all__ = ["threads_num"]


def threads_num(op_threads_num: int) -> None:
    """Set the most threads that one kernel uses on the CPU, as `set_context(runtime_num_threads=...)` does.

    Args:
        op_threads_num: the number of threads, 1 or more.

    Raises:
        TypeError: it is no int.
        ValueError: it is less than 1.

    """
    if not isinstance(op_threads_num, int) or isinstance(op_threads_num, bool):
        raise TypeError(f"threads_num takes an int, not a {type(op_threads_num).__name__}")
    if op_threads_num < 1:
        raise ValueError(f"threads_num takes 1 or more threads, not {op_threads_num}")
    context.set_context(runtime_num_threads=op_threads_num)
