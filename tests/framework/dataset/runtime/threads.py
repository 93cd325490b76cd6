"""What tests of workers need: rows of known numbers, and the threads that pipelines have."""

import threading
from collections.abc import Callable
from time import monotonic, sleep
from typing import Any

import numpy as np

import framework.dataset as ds

__all__ = ["numbers", "pipeline_threads", "read", "slowly", "until"]

_NAMES = ("prefetch-", "Map-", "Batch-", "GeneratorDataset-", "ImageFolderDataset-")


def pipeline_threads() -> list[threading.Thread]:
    """The running threads of pipelines."""
    return [thread for thread in threading.enumerate() if thread.name.startswith(_NAMES)]


def until(reached: Callable[[], bool], seconds: float = 10) -> None:
    """Wait for a condition."""
    end = monotonic() + seconds
    while not reached():
        assert monotonic() < end, "it did not happen"
        threading.Event().wait(0.002)


def numbers(count: int) -> ds.Dataset:
    """Rows 0, 1, 2 ... in order."""
    return ds.NumpySlicesDataset(np.arange(count), ["x"], shuffle=False)


def slowly(value: Any) -> Any:
    """A function that is worth workers."""
    sleep(0.001)
    return value


def read(data: ds.Dataset, epochs: int = 1) -> list[list[Any]]:
    """The first column of all rows, by epoch."""
    with data.create_tuple_iterator(num_epochs=epochs, output_numpy=True) as iterator:
        return [[row[0].tolist() for row in iterator] for _ in range(epochs)]
