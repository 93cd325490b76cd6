"""Batches for steps that a user calls himself: MindSpore's `data_sink` and `DatasetHelper`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

from framework.jit import jit
from framework.train.batches import Batch, epochs, steps_of

__all__ = ["DatasetHelper", "connect_network_with_dataset", "data_sink"]


class DatasetHelper:
    """The batches of one epoch with each iteration.

    Args:
        dataset: a dataset, or an iterable of tuples of arrays.
        dataset_sink_mode: make batches ahead, in a thread.
        sink_size: In sink mode, batches per epoch; the next epoch continues in the data. -1: all batches.
        epoch_num: recorded.

    Example:
        >>> data = ms.dataset.NumpySlicesDataset([1, 2, 3, 4], shuffle=False).batch(2)
        >>> print([batch[0].tolist() for batch in ms.train.DatasetHelper(data, dataset_sink_mode=False)])
        [[1, 2], [3, 4]]

    """

    def __init__(self, dataset: Any, dataset_sink_mode: bool = True, sink_size: int = -1, epoch_num: int = 1) -> None:
        if sink_size == 0 or sink_size < -1:
            raise ValueError(f"sink_size is a number of steps, or -1 for all data; not {sink_size!r}")
        self._steps = steps_of(dataset)
        self._sink_size = sink_size if dataset_sink_mode and sink_size > 0 else 0
        self.epoch_num = epoch_num
        self._epochs = epochs(dataset, 0, -1 if not self._sink_size else 1 << 62, self._sink_size, dataset_sink_mode)

    def __iter__(self) -> Iterator[Batch]:
        """The batches of the next epoch."""
        yield from next(self._epochs)

    def sink_size(self) -> int:
        """How many batches an epoch has."""
        return self._sink_size or self._steps

    def stop_send(self) -> None:
        """Make no more batches."""
        self._epochs.close()

    release = stop_send

    def continue_send(self) -> None:
        """Go on making batches, which happens by itself."""


def connect_network_with_dataset(network: Any, dataset_helper: DatasetHelper) -> Any:
    """The network: batches come from iterating over the helper."""
    del dataset_helper
    return network


def data_sink(
    fn: Callable[..., Any], dataset: Any, sink_size: int = 1, jit_config: Any = None, input_signature: Any = None
) -> Callable[[], Any]:
    """A function without arguments that runs another on the next batches of a dataset, which repeats.

    Args:
        fn: takes the columns of a batch.
        dataset: a dataset, or an iterable of tuples of arrays.
        sink_size: how many batches one call takes; it returns what the last one gave.
        jit_config: given, `fn` is compiled.
        input_signature: of the compiled function, see `ms.jit`.

    Raises:
        ValueError: `sink_size` is not above 0.

    Example:
        >>> data = ms.dataset.NumpySlicesDataset([1, 2, 3], shuffle=False)
        >>> step = ms.data_sink(lambda x: x * 10, data)
        >>> print(step(), step(), step(), step())
        10 20 30 10

    """
    if sink_size <= 0:
        raise ValueError(f"sink_size is above 0, not {sink_size}")
    run = fn if jit_config is None and input_signature is None else jit(fn, input_signature=input_signature)
    batches = _forever(dataset)

    @functools.wraps(fn)
    def step() -> Any:
        out = None
        for _ in range(sink_size):
            out = run(*next(batches))
        return out

    return step


def _forever(dataset: Any) -> Iterator[Batch]:
    with closing(epochs(dataset, 0, -1)) as every:
        for one in every:
            yield from one
