"""Settings of all pipelines: the seed, and the number of workers of operators. MindSpore's `dataset.config`."""

from __future__ import annotations

import json
import os
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np

from framework.common.seed import get_seed as get_framework_seed
from framework.dataset.ir.passes import PASSES

__all__ = [
    "ErrorSamplesMode",
    "autotune_file",
    "base_seed",
    "get_auto_num_workers",
    "get_auto_offload",
    "get_autotune_interval",
    "get_callback_timeout",
    "get_debug_mode",
    "get_dynamic_shape",
    "get_enable_autotune",
    "get_enable_shared_mem",
    "get_enable_watchdog",
    "get_error_samples_mode",
    "get_fast_recovery",
    "get_max_image_pixels",
    "get_monitor_sampling_interval",
    "get_multiprocessing_timeout_interval",
    "get_num_parallel_workers",
    "get_numa_enable",
    "get_passes",
    "get_prefetch_size",
    "get_seed",
    "load",
    "set_auto_num_workers",
    "set_auto_offload",
    "set_autotune_interval",
    "set_callback_timeout",
    "set_debug_mode",
    "set_dynamic_shape",
    "set_enable_autotune",
    "set_enable_shared_mem",
    "set_enable_watchdog",
    "set_error_samples_mode",
    "set_fast_recovery",
    "set_max_image_pixels",
    "set_monitor_sampling_interval",
    "set_multiprocessing_timeout_interval",
    "set_num_parallel_workers",
    "set_numa_enable",
    "set_pass",
    "set_prefetch_size",
    "set_seed",
]

#: MindSpore's default seed, that of the Mersenne Twister in C++.
_NO_SEED = 5489

_seed = _NO_SEED
_workers = min(8, os.cpu_count() or 1)
_prefetch_size = 16
_max_image_pixels = 1 << 28


class ErrorSamplesMode(IntEnum):
    """What becomes of a sample that a source cannot read or an operation of `map` fails on."""

    #: The error is raised.
    RETURN = 0
    #: The good sample before it takes its place, or the first good one.
    REPLACE = 1
    #: It is left out.
    SKIP = 2


_error_samples_mode = ErrorSamplesMode.RETURN


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
    """Set the default number of workers of operators: threads, or processes with `python_multiprocessing`.

    Rows are the same for any number.

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
    """Set the length of the queue between two operators, and of that in front of the reader.

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


def set_error_samples_mode(error_samples_mode: ErrorSamplesMode) -> None:
    """Set what becomes of samples with errors in pipelines that are created from now on.

    Args:
        error_samples_mode: RETURN raises the error, REPLACE puts a good sample in place, SKIP leaves the sample out.

    Raises:
        TypeError: it is no `ErrorSamplesMode`.
    """
    global _error_samples_mode
    if not isinstance(error_samples_mode, ErrorSamplesMode):
        raise TypeError(f"error_samples_mode must be an ErrorSamplesMode, not {error_samples_mode!r}")
    _error_samples_mode = error_samples_mode


def get_error_samples_mode() -> ErrorSamplesMode:
    """What becomes of samples with errors; initially they raise their error."""
    return _error_samples_mode


#: Settings of MindSpore's threads and processes, with their initial values: they are kept, and rows stay the same.
_kept: dict[str, Any] = {
    "auto_num_workers": False,
    "auto_offload": False,
    "autotune_interval": 0,
    "callback_timeout": 60,
    "debug_mode": False,
    "dynamic_shape": False,
    "enable_autotune": False,
    "enable_shared_mem": True,
    "enable_watchdog": True,
    "fast_recovery": True,
    "monitor_sampling_interval": 1000,
    "multiprocessing_timeout_interval": 300,
    "numa_enable": False,
}


def _keep(name: str, value: Any) -> None:
    wanted = type(_kept[name])
    if not isinstance(value, wanted) or isinstance(value, bool) is not (wanted is bool):
        raise TypeError(f"{name} must be {'a bool' if wanted is bool else 'an int'}, not {value!r}")
    if wanted is int and value < 0:
        raise ValueError(f"{name} must be at least 0, not {value}")
    _kept[name] = value


def set_auto_num_workers(enable: bool) -> None:
    """Set whether the numbers of workers are chosen automatically. The value is stored but has no effect."""
    _keep("auto_num_workers", enable)


def get_auto_num_workers() -> bool:
    """The value that `set_auto_num_workers` has set."""
    return bool(_kept["auto_num_workers"])


def set_auto_offload(offload: bool) -> None:
    """Set whether transforms run on the device. The value is stored but has no effect."""
    _keep("auto_offload", offload)


def get_auto_offload() -> bool:
    """The value that `set_auto_offload` has set."""
    return bool(_kept["auto_offload"])


def set_autotune_interval(interval: int) -> None:
    """Set the number of rows between two changes by `enable_autotune`; 0 for a change at the end of each epoch."""
    _keep("autotune_interval", interval)


def get_autotune_interval() -> int:
    """The value that `set_autotune_interval` has set."""
    return int(_kept["autotune_interval"])


def set_callback_timeout(timeout: int) -> None:
    """Set the timeout of callbacks in seconds. The value is stored but has no effect."""
    _keep("callback_timeout", timeout)


def get_callback_timeout() -> int:
    """The value that `set_callback_timeout` has set."""
    return int(_kept["callback_timeout"])


def set_debug_mode(debug_mode_flag: bool, debug_hook_list: Any = None) -> None:
    """Set whether operators run in a single thread, as they always do here. The value is stored but has no effect."""
    _keep("debug_mode", debug_mode_flag)


def get_debug_mode() -> bool:
    """The value that `set_debug_mode` has set."""
    return bool(_kept["debug_mode"])


def set_dynamic_shape(is_dynamic: bool) -> None:
    """Set whether shapes may differ between batches, as they always may here. The value is stored but has no effect."""
    _keep("dynamic_shape", is_dynamic)


def get_dynamic_shape() -> bool:
    """The value that `set_dynamic_shape` has set."""
    return bool(_kept["dynamic_shape"])


_autotune_prefix: str | None = None


def set_enable_autotune(enable: bool, filepath_prefix: str | None = None) -> None:
    """Set whether iterators that are created from now on change the numbers of their workers while they are read.

    The operator that others wait for gets one more at a time, as long as there are processors; one whose workers wait
    for their reader loses one. Processes keep their numbers. Rows stay the same.

    Args:
        enable: whether they do.
        filepath_prefix: beginning of the path of a file that gets the pipeline with these numbers after each epoch, as
            JSON that `ds.deserialize` reads: the prefix, `_`, the process's RANK_ID or 0, and `.json`. None for none.

    Raises:
        TypeError: an argument has another type.
        ValueError: there is no such folder.
    """
    global _autotune_prefix
    if filepath_prefix is not None and not isinstance(filepath_prefix, str):
        raise TypeError(f"filepath_prefix must be a text, not {filepath_prefix!r}")
    if filepath_prefix and not Path(filepath_prefix).parent.is_dir():
        raise ValueError(f"filepath_prefix: there is no folder {str(Path(filepath_prefix).parent)!r}")
    _keep("enable_autotune", enable)
    _autotune_prefix = filepath_prefix or None


def autotune_file() -> Path | None:
    """The file that gets the tuned pipeline; None for none."""
    return None if _autotune_prefix is None else Path(f"{_autotune_prefix}_{os.environ.get('RANK_ID', '0')}.json")


def get_enable_autotune() -> bool:
    """The value that `set_enable_autotune` has set."""
    return bool(_kept["enable_autotune"])


def set_enable_shared_mem(enable: bool) -> None:
    """Set whether processes exchange rows through shared memory. The value is stored but has no effect."""
    _keep("enable_shared_mem", enable)


def get_enable_shared_mem() -> bool:
    """The value that `set_enable_shared_mem` has set."""
    return bool(_kept["enable_shared_mem"])


def set_enable_watchdog(enable: bool) -> None:
    """Set whether processes are monitored. The value is stored but has no effect."""
    _keep("enable_watchdog", enable)


def get_enable_watchdog() -> bool:
    """The value that `set_enable_watchdog` has set."""
    return bool(_kept["enable_watchdog"])


def set_fast_recovery(fast_recovery: bool) -> None:
    """Set whether resuming skips the random numbers of earlier steps. The value is stored but has no effect."""
    _keep("fast_recovery", fast_recovery)


def get_fast_recovery() -> bool:
    """The value that `set_fast_recovery` has set."""
    return bool(_kept["fast_recovery"])


def set_monitor_sampling_interval(interval: int) -> None:
    """Set the interval in milliseconds at which the pipeline of a training is recorded."""
    _keep("monitor_sampling_interval", interval)


def get_monitor_sampling_interval() -> int:
    """The value that `set_monitor_sampling_interval` has set."""
    return int(_kept["monitor_sampling_interval"])


def set_multiprocessing_timeout_interval(interval: int) -> None:
    """Set the timeout of silent processes in seconds. The value is stored but has no effect."""
    _keep("multiprocessing_timeout_interval", interval)


def get_multiprocessing_timeout_interval() -> int:
    """The value that `set_multiprocessing_timeout_interval` has set."""
    return int(_kept["multiprocessing_timeout_interval"])


def set_numa_enable(numa_enable: bool) -> None:
    """Set whether threads are bound to NUMA nodes. The value is stored but has no effect."""
    _keep("numa_enable", numa_enable)


def get_numa_enable() -> bool:
    """The value that `set_numa_enable` has set."""
    return bool(_kept["numa_enable"])


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


_passes: dict[str, bool] = {}


def set_pass(name: str, enable: bool) -> None:
    """Switch a pass over pipelines on or off, for iterators that are created from now on. Rows are the same either way.

    Args:
        name: "removal", "push_down", "column_pruning", "map_fusion" or "late_map"; `ds.explain` shows what they do.
        enable: whether it runs; all do initially.

    Raises:
        ValueError: there is no such pass.
        TypeError: `enable` is not a bool.
    """
    if name not in PASSES:
        raise ValueError(f"there is no pass {name!r}, only {', '.join(PASSES)}")
    if not isinstance(enable, bool):
        raise TypeError(f"enable must be a bool, not {enable!r}")
    _passes[name] = enable


def get_passes() -> dict[str, bool]:
    """Whether each pass over pipelines is switched on, by name, in the order in which they run."""
    return {name: _passes.get(name, True) for name in PASSES}


def _checked(name: str, value: int, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be an int, not {value!r}")
    if not low <= value <= high:
        raise ValueError(f"{name} must lie between {low} and {high}, not {value}")
    return value


def set_max_image_pixels(pixels: int) -> None:
    """Set the number of pixels above which an image is not decoded: a damaged or hostile header may claim any size.

    Args:
        pixels: number of pixels, height times width, from 1 to 2^31 - 1.

    Raises:
        TypeError: `pixels` is not an int.
        ValueError: `pixels` is out of range.
    """
    global _max_image_pixels
    _max_image_pixels = _checked("max_image_pixels", pixels, 1, (1 << 31) - 1)


def get_max_image_pixels() -> int:
    """The number of pixels above which an image is not decoded; initially 2^28, as 16,384 x 16,384."""
    return _max_image_pixels
