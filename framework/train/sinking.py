"""Batches for hand-written training steps: MindSpore's `data_sink` and `DatasetHelper`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

from framework.common.validator import check_bool, check_type
from framework.jit import jit
from framework.train.batches import Batch, epochs, steps_of

__all__ = ["DatasetHelper", "connect_network_with_dataset", "data_sink"]


class DatasetHelper:
    """Iterates over the batches of one epoch at a time.

    Args:
        dataset: a dataset, or an iterable of tuples of arrays.
        dataset_sink_mode: prefetch batches in a thread.
        sink_size: number of batches per epoch in sink mode; the next epoch continues in the data. -1 for all batches.
        epoch_num: accepted for compatibility; has no effect.

    Example:
        >>> data = ms.dataset.NumpySlicesDataset([1, 2, 3, 4], shuffle=False).batch(2)
        >>> print([batch[0].tolist() for batch in ms.train.DatasetHelper(data, dataset_sink_mode=False)])
        [[1, 2], [3, 4]]

    """

    def __init__(self, dataset: Any, dataset_sink_mode: bool = True, sink_size: int = -1, epoch_num: int = 1) -> None:
        check_bool(dataset_sink_mode, "dataset_sink_mode")
        check_type("sink_size", sink_size, int)
        if sink_size == 0 or sink_size < -1:
            raise ValueError(f"sink_size must be a number of steps, or -1 for all data, not {sink_size!r}")
        self._steps = steps_of(dataset)
        self._sink_size = sink_size if dataset_sink_mode and sink_size > 0 else 0
        self.epoch_num = epoch_num
        self._epochs = epochs(dataset, 0, -1 if not self._sink_size else 1 << 62, self._sink_size, dataset_sink_mode)

    def __iter__(self) -> Iterator[Batch]:
        """The batches of the next epoch."""
        yield from next(self._epochs)

    def sink_size(self) -> int:
        """The number of batches of an epoch."""
        return self._sink_size or self._steps

    def stop_send(self) -> None:
        """Stop prefetching batches."""
        self._epochs.close()

    release = stop_send

    def continue_send(self) -> None:
        """Accepted for compatibility: prefetching continues by itself."""


def connect_network_with_dataset(network: Any, dataset_helper: DatasetHelper) -> Any:
    """The network itself, as in MindSpore's function; batches come from iterating over the helper.

    Args:
        network: the network.
        dataset_helper: the helper.

    Returns:
        The network.
    """
    del dataset_helper
    return network


def data_sink(
    fn: Callable[..., Any], dataset: Any, sink_size: int = 1, jit_config: Any = None, input_signature: Any = None
) -> Callable[[], Any]:
    """A function without arguments that runs `fn` on the next batches of a dataset, which repeats.

    Args:
        fn: function of the columns of a batch.
        dataset: a dataset, or an iterable of tuples of arrays.
        sink_size: number of batches of one call, which returns the result of the last one.
        jit_config: if given, `fn` is compiled.
        input_signature: signature of the compiled function, see `ms.jit`.

    Returns:
        The function.

    Raises:
        ValueError: `sink_size` is not above 0.

    Example:
        >>> data = ms.dataset.NumpySlicesDataset([1, 2, 3], shuffle=False)
        >>> step = ms.data_sink(lambda x: x * 10, data)
        >>> print(step(), step(), step(), step())
        10 20 30 10

    """
    if sink_size <= 0:
        raise ValueError(f"sink_size must be above 0, not {sink_size}")
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
