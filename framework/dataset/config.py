"""Settings of all pipelines: the seed, and how many workers operators have; MindSpore's `dataset.config`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np

from framework.common.seed import get_seed as get_framework_seed

__all__ = [
    "base_seed",
    "get_num_parallel_workers",
    "get_prefetch_size",
    "get_seed",
    "load",
    "set_num_parallel_workers",
    "set_prefetch_size",
    "set_seed",
]

#: MindSpore's default seed, that of C++'s Mersenne Twister.
_NO_SEED = 5489

_seed = _NO_SEED
_workers = min(8, os.cpu_count() or 1)
_prefetch_size = 16


def set_seed(seed: int) -> None:
    """Make everything random in pipelines repeat itself; 5489, MindSpore's default, takes it back.

    Without it the seed is that of `ms.set_seed`, and where there is none each iterator draws its own.

    Args:
        seed: at least 0, below 2^32.

    Raises:
        TypeError: the seed is no int.
        ValueError: the seed is out of range.

    """
    global _seed
    _seed = _checked("seed", seed, 0, (1 << 32) - 1)


def get_seed() -> int:
    """The seed that was set, 5489 if none was."""
    return _seed


def base_seed() -> int:
    """The seed that a new iterator starts from."""
    if _seed != _NO_SEED:
        return _seed
    framework_seed = get_framework_seed()
    return int(np.random.SeedSequence().generate_state(1)[0]) if framework_seed is None else framework_seed


def set_num_parallel_workers(num: int) -> None:
    """Set the default number of workers of operators.

    It is recorded in the pipeline; rows are computed where they are asked for, in one thread.

    Raises:
        TypeError: `num` is no int.
        ValueError: `num` is below 1 or above 2^31 - 1.

    """
    global _workers
    _workers = _checked("num_parallel_workers", num, 1, (1 << 31) - 1)


def get_num_parallel_workers() -> int:
    """The default number of workers of operators; at first 8, or the number of processors if that is less."""
    return _workers


def set_prefetch_size(size: int) -> None:
    """Set the length of the queue between two operators; recorded in the pipeline.

    Raises:
        TypeError: `size` is no int.
        ValueError: `size` is below 1 or above 2^31 - 1.

    """
    global _prefetch_size
    _prefetch_size = _checked("prefetch_size", size, 1, (1 << 31) - 1)


def get_prefetch_size() -> int:
    """The length of the queue between two operators; 16 by default."""
    return _prefetch_size


def load(file: str) -> None:
    """Take over settings from a JSON file with any of `seed`, `numParallelWorkers` and `prefetchSize`.

    Raises:
        ValueError: the file holds another setting.

    """
    setters = {"seed": set_seed, "numParallelWorkers": set_num_parallel_workers, "prefetchSize": set_prefetch_size}
    for name, value in json.loads(Path(file).read_text()).items():
        if name not in setters:
            raise ValueError(f"{file}: there is no setting {name!r}; there are {', '.join(setters)}")
        setters[name](value)


def _checked(name: str, value: int, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be an int, not {value!r}")
    if not low <= value <= high:
        raise ValueError(f"{name} must lie between {low} and {high}, not {value}")
    return value
