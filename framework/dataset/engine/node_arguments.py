"""Checks of the operators' arguments, and their form in the nodes of a pipeline."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from framework.common.validator import check_bool, check_positive_int
from framework.dataset import config
from framework.dataset.ir.to_json import operation_json

__all__ = [
    *("INT32_MAX", "are_names", "count_of", "folder_of", "names_of", "padding_json", "processes_of", "workers_json"),
]

INT32_MAX = (1 << 31) - 1
#: Megabytes that the memory of a worker process begins with; it grows when needed.
_ROWSIZE = 16


def are_names(value: Any) -> bool:
    """Whether an argument consists of column names."""
    return isinstance(value, str) or (isinstance(value, list | tuple) and bool(value) and isinstance(value[0], str))


def names_of(argument: str, value: str | Sequence[str] | None) -> list[str]:
    """The column names in an argument.

    Raises:
        TypeError: one is not a text.
        ValueError: one occurs twice.
    """
    names = [] if value is None else [value] if isinstance(value, str) else list(value)
    for name in names:
        if not isinstance(name, str) or not name:
            raise TypeError(f"{argument}: a column name must be a text that is not empty, not {name!r}")
    doubled = [name for name in names if names.count(name) > 1]
    if doubled:
        raise ValueError(f"{argument}: {doubled[0]!r} is named twice")
    return names


def folder_of(dataset_dir: str | Path) -> str:
    """The path of a folder that is there.

    Raises:
        ValueError: there is no such folder.
    """
    if not Path(dataset_dir).is_dir():
        raise ValueError(f"dataset_dir must be a folder; there is no folder {str(dataset_dir)!r}")
    return str(dataset_dir)


def count_of(operator: str, value: int, low: int, endless: bool = True) -> int:
    """A number of rows or rounds, -1 for no end.

    Raises:
        TypeError: it is not an int.
        ValueError: it is out of range.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{operator}: count must be an int, not {value!r}")
    if (value < low and not (endless and value == -1)) or value > INT32_MAX:
        also = ", or -1" if endless else ""
        raise ValueError(f"{operator}: count must lie between {low} and {INT32_MAX}{also}, not {value}")
    return value


def padding_json(pad_info: Mapping[str, Any]) -> dict[str, Any]:
    """The argument of `padded_batch` for JSON: a shape and a value for each column.

    Raises:
        TypeError: a column has no such pair.
    """
    out: dict[str, Any] = {}
    for name, pair in pad_info.items():
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise TypeError(f"pad_info: column {name!r} needs a pair of a shape and a value to fill with, not {pair!r}")
        value = pair[1].item() if hasattr(pair[1], "item") else pair[1]
        out[name] = [None if pair[0] is None else list(pair[0]), value]
    return out


def workers_json(num_parallel_workers: int | None) -> dict[str, int]:
    """The number of workers of an operator and the length of its queue, for JSON."""
    workers = num_parallel_workers
    if workers is None:
        workers = config.get_num_parallel_workers()
    return {
        "num_parallel_workers": check_positive_int(workers, "num_parallel_workers"),
        "connector_queue_size": config.get_prefetch_size(),
    }


def processes_of(
    python_multiprocessing: bool, max_rowsize: int | Sequence[int] | None, operations: Sequence[Callable[..., Any]]
) -> dict[str, tuple[int, int]]:
    """The memory of worker processes for inputs and results in megabytes, for the node.

    Args:
        python_multiprocessing: whether there shall be processes.
        max_rowsize: the sizes: one or two, or None.
        operations: what they would compute; transforms alone do not need processes.

    Returns:
        Entries for the node; none without processes.

    Raises:
        TypeError: an argument has another type.
        ValueError: a size is out of range, or there are more than two.
    """
    check_bool(python_multiprocessing, "python_multiprocessing")
    sizes = list(max_rowsize) if isinstance(max_rowsize, list | tuple) else [max_rowsize]
    if not 1 <= len(sizes) <= 2:
        raise ValueError(f"max_rowsize must be a number or two of them, not {max_rowsize!r}")
    megabytes = [_ROWSIZE if size in (None, -1) else check_positive_int(size, "max_rowsize") for size in sizes]
    if not python_multiprocessing or not any(_has_function(operation) for operation in operations):
        return {}
    return {"processes": (megabytes[0], megabytes[-1])}


def _has_function(operation: Callable[..., Any]) -> bool:
    """Whether an operation is a function of the user, or contains one."""
    return '"is_python_front_end_op": true' in json.dumps(operation_json(operation))
