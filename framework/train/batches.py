"""The batches of a training, from a dataset of `ms.dataset` or any iterable of tuples of arrays."""

from __future__ import annotations

import inspect
import queue
import threading
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing
from itertools import chain, count, islice
from typing import Any

import numpy as np

from framework.common.tensor import Tensor

__all__ = ["Batch", "epochs", "fitting", "steps_of"]

Batch = tuple[Any, ...]

_USUAL = frozenset((Tensor,))
_AHEAD = 8
"""Number of batches that are prefetched in sink mode."""


def steps_of(data: Any) -> int:
    """The number of batches of the data; 0 if unknown.

    Args:
        data: a dataset or an iterable of batches.

    Returns:
        The number of batches.

    Raises:
        TypeError: the data is not iterable.
        ValueError: the data is empty.
    """
    if not isinstance(data, Iterable) and not hasattr(data, "create_tuple_iterator"):
        raise TypeError(f"data must be a dataset or an iterable of batches, not {type(data).__name__}")
    size = data.get_dataset_size() if hasattr(data, "get_dataset_size") else _length(data)
    if size == 0:
        raise ValueError(
            "the data has no batch: it is empty, or smaller than one batch while incomplete batches are dropped"
        )
    return int(size or 0)


def epochs(
    data: Any, first: int, last: int, steps: int = 0, sink: bool = False, skipped: int = 0
) -> Generator[Iterator[Batch], None, None]:
    """The batches of each epoch.

    Args:
        data: a dataset or an iterable of batches.
        first: number of epochs before these; a dataset shuffles each epoch differently.
        last: number of the last epoch.
        steps: number of batches per epoch, which continues where the last one ended; 0 for the whole data each time.
        sink: prefetch batches in a thread, unless they are in a list or tuple.
        skipped: number of batches to leave out of the first epoch, which a training has seen already.

    Returns:
        An iterator over batches for each epoch.
    """
    sink = sink and not isinstance(data, list | tuple)
    if steps:
        with closing(_ahead(_endless(data, first * steps + skipped), sink)) as endless:
            for number in range(first, last):
                yield islice(endless, steps - skipped if number == first else steps)
        return
    for number, batches in enumerate(_passes(data, first, last), first):
        seen = skipped if number == first else 0
        with closing(_ahead(islice(batches, seen, None), sink)) as ahead:
            yield ahead


def fitting(batches: Iterator[Batch], network: Any) -> Iterator[Batch]:
    """The batches of an epoch, with a check that the first one has as many columns as a Cell takes.

    Args:
        batches: batches of an epoch.
        network: the Cell. If it passes on all inputs, its `network` counts.

    Returns:
        The same batches.

    Raises:
        ValueError: the batch has more or fewer columns.
    """
    first = next(batches, None)
    if first is None:
        return batches
    while hasattr(network, "network") and _takes_all(network):
        network = network.network
    signature = inspect.signature(network.construct)
    try:
        signature.bind(*first)
    except TypeError as error:
        names = ", ".join(signature.parameters)
        raise ValueError(
            f"a batch has {len(first)} column{'s' * (len(first) != 1)}, but {type(network).__name__} takes ({names}): "
            "choose columns with `project` of the dataset, or write a Cell that takes these"
        ) from error
    return chain((first,), batches)


def _takes_all(network: Any) -> bool:
    kinds = {parameter.kind for parameter in inspect.signature(network.construct).parameters.values()}
    return kinds == {inspect.Parameter.VAR_POSITIONAL}


def _length(data: Any) -> int | None:
    try:
        return len(data)
    except TypeError:
        return None


def _passes(data: Any, first: int, last: int) -> Iterator[Iterator[Batch]]:
    """One pass over the data for each epoch after `first`, up to `last`; -1 for endless passes."""
    numbers = range(first, last) if last >= 0 else count(first)
    if hasattr(data, "create_tuple_iterator"):
        # One iterator for all epochs, as it counts them and shuffles each differently.
        counts = "num_epochs" in inspect.signature(data.create_tuple_iterator).parameters
        rows = data.create_tuple_iterator(num_epochs=last) if counts else data.create_tuple_iterator()
        _skip(rows, first)
        for _ in numbers:
            _start_over(data, rows)
            yield map(_batch, rows)
        return
    for _ in numbers:
        rows = iter(data)
        _start_over(data, rows)
        yield map(_batch, rows)


def _start_over(data: Any, rows: Any) -> None:
    """Reset data that is its own iterator and has a `reset`, which somebody may have read before."""
    if rows is data and hasattr(data, "reset"):
        data.reset()


def _skip(rows: Any, epochs: int) -> None:
    """Skip epochs that a training has seen."""
    if hasattr(rows, "skip_epochs"):
        rows.skip_epochs(epochs)
        return
    for _ in range(epochs):
        for _ in rows:
            pass


def _endless(data: Any, seen: int) -> Iterator[Batch]:
    """Endless passes over the data, after the batches that a training has seen."""
    size = steps_of(data)
    first, skipped = divmod(seen, size) if size else (0, seen)
    for batches in _passes(data, first, -1):
        begun = False
        for batch in batches:
            begun = True
            if skipped:
                skipped -= 1
            else:
                yield batch
        if not begun:
            return


def _batch(row: Any) -> Batch:
    """A batch as a network takes it, with arrays converted to tensors."""
    if type(row) is tuple and _USUAL.issuperset(map(type, row)):
        return row  # the usual case, checked first
    if isinstance(row, Mapping):
        row = tuple(row.values())
    if not isinstance(row, tuple | list):
        row = (row,)
    return tuple(Tensor(item) if isinstance(item, np.ndarray | np.generic) else item for item in row)


def _ahead(batches: Iterator[Batch], sink: bool) -> Generator[Batch, None, None]:
    """The same batches; with `sink`, a thread prefetches them until the generator is closed."""
    if not sink:
        yield from batches
        return
    # SimpleQueue waits without Python's own locks, and the thread is woken for several batches at once, so that a step
    # rarely waits for a switch of threads.
    ready: queue.SimpleQueue[Batch | _End] = queue.SimpleQueue()
    requests: queue.SimpleQueue[int] = queue.SimpleQueue()
    thread = threading.Thread(target=_make, args=(batches, ready, requests), name="batches", daemon=True)
    requests.put(_AHEAD)
    thread.start()
    consumed = 0
    try:
        while not isinstance(item := ready.get(), _End):
            yield item
            consumed += 1
            if consumed == _AHEAD // 2:
                requests.put(consumed)
                consumed = 0
        if item.error is not None:
            raise item.error
    finally:
        requests.put(0)
        thread.join()


class _End:
    """A mark after the last batch, with the error that ended the batches, if any."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


def _make(batches: Iterator[Batch], ready: queue.SimpleQueue[Batch | _End], requests: queue.SimpleQueue[int]) -> None:
    """Put as many batches into the queue as are asked for, until there are none."""
    room = 0
    try:
        for batch in batches:
            while room == 0 or not requests.empty():
                more = requests.get()
                if not more:
                    return
                room += more
            ready.put(batch)
            room -= 1
        ready.put(_End())
    except BaseException as error:
        ready.put(_End(error))
