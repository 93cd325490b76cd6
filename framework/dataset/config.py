"""Settings of all pipelines: the seed, and the number of workers of operators. MindSpore's `dataset.config`."""

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

#: MindSpore's default seed, that of the Mersenne Twister in C++.
_NO_SEED = 5489

_seed = _NO_SEED
_workers = min(8, os.cpu_count() or 1)
_prefetch_size = 16


def set_seed(seed: int) -> None:
    """Set the seed of all random numbers in pipelines; 5489, MindSpore's default, removes it.

    Without this seed, that of `ms.set_seed` is used. Without either, each iterator draws its own.

    Args:
        seed: at least 0, below 2^32.

    Raises:
        TypeError: the seed is not an int.
        ValueError: the seed is out of range.
    """
    global _seed
    _seed = _checked("seed", seed, 0, (1 << 32) - 1)


def get_seed() -> int:
    """The seed that was set; 5489 without one."""
    return _seed


def base_seed() -> int:
    """The seed of a new iterator."""
    if _seed != _NO_SEED:
        return _seed
    framework_seed = get_framework_seed()
    return int(np.random.SeedSequence().generate_state(1)[0]) if framework_seed is None else framework_seed


def set_num_parallel_workers(num: int) -> None:
    """Set the default number of workers of operators.

    The number is recorded in the pipeline. Rows are computed on demand, in one thread.

    Args:
        num: number of workers, from 1 to 2^31 - 1.

    Raises:
        TypeError: `num` is not an int.
        ValueError: `num` is out of range.
    """
    global _workers
    _workers = _checked("num_parallel_workers", num, 1, (1 << 31) - 1)


def get_num_parallel_workers() -> int:
    """The default number of workers of operators; initially 8, or the number of processors if that is less."""
    return _workers


def set_prefetch_size(size: int) -> None:
    """Set the length of the queue between two operators, which is recorded in the pipeline.

    Args:
        size: number of rows, from 1 to 2^31 - 1.

    Raises:
        TypeError: `size` is not an int.
        ValueError: `size` is out of range.
    """
    global _prefetch_size
    _prefetch_size = _checked("prefetch_size", size, 1, (1 << 31) - 1)


def get_prefetch_size() -> int:
    """The length of the queue between two operators; initially 16."""
    return _prefetch_size


def load(file: str) -> None:
    """Load settings from a JSON file with any of `seed`, `numParallelWorkers` and `prefetchSize`.

    Args:
        file: path of the file.

    Raises:
        ValueError: the file has an unknown setting.
    """
    setters = {"seed": set_seed, "numParallelWorkers": set_num_parallel_workers, "prefetchSize": set_prefetch_size}
    for name, value in json.loads(Path(file).read_text()).items():
        if name not in setters:
            raise ValueError(f"{file}: there is no setting {name!r}, only {', '.join(setters)}")
        setters[name](value)


def _checked(name: str, value: int, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be an int, not {value!r}")
    if not low <= value <= high:
        raise ValueError(f"{name} must lie between {low} and {high}, not {value}")
    return value
