"""Datasets from Python: arrays in memory, generator functions, iterables, and objects with `__getitem__`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from framework.common import dtype as mstype
from framework.dataset import config
from framework.dataset.engine.callers import caller
from framework.dataset.engine.datasets import Dataset
from framework.dataset.engine.node_arguments import processes_of
from framework.dataset.engine.select_sampler import select_sampler
from framework.dataset.ir import Node
from framework.dataset.runtime.rows import Array
from framework.dataset.runtime.sources import values_of

__all__ = ["GeneratorDataset", "NumpySlicesDataset", "PaddedDataset"]


class _Accessible:
    """A source that reads a user's object with `__getitem__` and `__len__`.

    Args:
        source: the object.
        columns: names of the columns.
        types: element types; None for those of the values.
        concurrent: whether several threads may read it at once.
    """

    def __init__(self, source: Any, columns: Sequence[str], types: Sequence[Any] | None, concurrent: bool) -> None:
        self.source = source
        self.concurrent = concurrent
        self.columns = tuple(columns)
        self.types = types

    @property
    def fixed(self) -> dict[str, int]:
        """The bytes of the columns whose values have one shape in all rows: those of arrays of numbers."""
        arrays = self.source.arrays if isinstance(self.source, _Slices) else ()
        pairs = zip(self.columns, arrays, strict=False)
        return {name: array[:1].nbytes for name, array in pairs if array.dtype.kind in "biuf"}

    def __len__(self) -> int:
        return len(self.source)

    def row(self, index: int) -> tuple[Array, ...]:
        """The values of a row."""
        return values_of(self.source[index], self.columns, self.types)

    def block(self, places: Array) -> tuple[Array, ...] | None:
        """The values of many rows of arrays of numbers; None for everything else."""
        arrays = self.source.arrays if isinstance(self.source, _Slices) and self.types is None else ()
        numbers = bool(arrays) and all(array.dtype.kind in "biufc" for array in arrays)
        return tuple(array[places] for array in arrays) if numbers else None

    def describe(self, index: int) -> str:
        """The row's index, for messages."""
        return f"sample {index}"

    def labels(self) -> Array | None:
        """The column named label, which needs all rows to be read; None without one."""
        if "label" not in self.columns:
            return None
        place = self.columns.index("label")
        return np.asarray([self.row(index)[place] for index in range(len(self))])


class GeneratorDataset(Dataset):
    """Rows that Python code yields.

    Args:
        source: a generator function (called again in each epoch), an iterable, or an object with `__getitem__` and
            `__len__`, which alone can be read in any order. A row is a tuple with a value for each column.
        column_names: names of the columns.
        column_types: element types of the columns, MindSpore's or numpy's; None for those of the values.
        schema: must be None.
        num_samples: number of rows to read; None for all.
        num_parallel_workers: number of workers that read an object with `__getitem__`.
        shuffle: read in random order; None for True if the source allows it.
        sampler: a sampler, or an iterable of row indices; None for the default.
        num_shards: number of shards, of which one is read; None for no shards.
        shard_id: index of the shard, from 0.
        python_multiprocessing: if there are several workers, they are processes, each with a copy of the object.
            Otherwise they are threads, which share it.
        max_rowsize: megabytes of the memory through which rows come from a process; it grows when needed. None or -1
            for 16.

    Raises:
        TypeError: the source is of another type.
        ValueError: arguments contradict each other.
    """

    def __init__(
        self,
        source: Callable[[], Iterable[Any]] | Iterable[Any] | Any,
        column_names: str | Sequence[str] | None = None,
        column_types: Sequence[Any] | None = None,
        schema: Any = None,
        num_samples: int | None = None,
        num_parallel_workers: int = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        python_multiprocessing: bool = True,
        max_rowsize: int | Sequence[int] | None = None,
    ) -> None:
        if schema is not None:
            raise NotImplementedError("GeneratorDataset: schemas are not supported; give column_names and column_types")
        names = [column_names] if isinstance(column_names, str) else list(column_names or ())
        if not names:
            raise ValueError("GeneratorDataset: column_names must name at least one column")
        types = _types(column_types, names)
        python: dict[str, Any]
        node_sampler = None
        if hasattr(source, "__getitem__") and hasattr(source, "__len__"):
            chosen = select_sampler(sampler, shuffle, num_samples, num_shards, shard_id)
            processes = processes_of(python_multiprocessing and num_parallel_workers > 1, max_rowsize, [len])
            python = {"source": _Accessible(source, names, types, not python_multiprocessing), **processes}
            node_sampler = chosen.node()
        else:
            if not callable(source) and not hasattr(source, "__iter__"):
                raise TypeError(
                    "GeneratorDataset: the source must be a generator function, an iterable, or have __getitem__ and"
                    f" __len__, not {type(source).__name__}"
                )
            if sampler is not None or shuffle or num_shards is not None:
                raise ValueError(
                    "GeneratorDataset: only a source with __getitem__ and __len__ can be shuffled, sampled or sharded;"
                    " use .shuffle(buffer_size) after this one"
                )
            python = {"source": source, "columns": names, "types": types, "num_samples": num_samples or None}
        parameters = {
            "num_parallel_workers": num_parallel_workers,
            "connector_queue_size": config.get_prefetch_size(),
        }
        super().__init__(
            Node("GeneratorDataset", parameters=parameters, sampler=node_sampler, python=python, where=caller())
        )


class NumpySlicesDataset(GeneratorDataset):
    """Rows of arrays in memory; the first axis of each array counts the rows.

    Args:
        data: a list or an array for one column, a tuple of them for several, or a dictionary from names to columns.
        column_names: names of the columns; None for those of the dictionary, or `column_0`, `column_1` and so on.
        num_samples: number of rows to read; None for all.
        num_parallel_workers: recorded in the pipeline.
        shuffle: read in random order; None for True, unless a sampler is given.
        sampler: a sampler, or an iterable of row indices; None for the default.
        num_shards: number of shards, of which one is read; None for no shards.
        shard_id: index of the shard, from 0.

    Raises:
        ValueError: the columns have different lengths.
    """

    def __init__(
        self,
        data: Any,
        column_names: str | Sequence[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
    ) -> None:
        names: list[str] | None = [column_names] if isinstance(column_names, str) else None
        if names is None and column_names is not None:
            names = list(column_names)
        if isinstance(data, Mapping):
            names = names or [str(name) for name in data]
            arrays = tuple(np.asarray(column) for column in data.values())
        else:
            arrays = tuple(np.asarray(column) for column in (data if isinstance(data, tuple) else (data,)))
        names = names or [f"column_{number}" for number in range(len(arrays))]
        lengths = {name: len(array) for name, array in zip(names, arrays, strict=False)}
        if len(names) != len(arrays):
            raise ValueError(f"NumpySlicesDataset: {len(names)} column_names for {len(arrays)} columns")
        if len(set(lengths.values())) > 1:
            raise ValueError(f"NumpySlicesDataset: columns must have the same length, not {lengths}")
        slices = _Slices(arrays)
        super().__init__(
            slices, names, None, None, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, False
        )


class PaddedDataset(GeneratorDataset):
    """Rows that fill up another dataset, which is added to this one: `data + ds.PaddedDataset(samples)`.

    Args:
        padded_samples: dictionaries with a value for each column.

    Raises:
        ValueError: there is no sample, or they have different columns.
    """

    def __init__(self, padded_samples: Sequence[Mapping[str, Any]]) -> None:
        samples = [dict(sample) for sample in padded_samples]
        if not samples or any(sample.keys() != samples[0].keys() for sample in samples):
            raise ValueError("PaddedDataset: padded_samples must be dictionaries with the same columns, one at least")
        rows = [tuple(np.asarray(sample[name]) for name in samples[0]) for sample in samples]
        super().__init__(rows, list(samples[0]), shuffle=False)


class _Slices:
    """A source that reads arrays row by row."""

    def __init__(self, arrays: tuple[Array, ...]) -> None:
        self.arrays = arrays

    def __len__(self) -> int:
        return len(self.arrays[0])

    def __getitem__(self, index: int) -> tuple[Array, ...]:
        return tuple(array[index] for array in self.arrays)


def _types(column_types: Sequence[Any] | None, names: Sequence[str]) -> list[np.dtype[Any]] | None:
    if column_types is None:
        return None
    if len(column_types) != len(names):
        raise ValueError(f"GeneratorDataset: {len(column_types)} column_types for {len(names)} columns")
    return [kind.numpy if isinstance(kind, mstype.DType) else np.dtype(kind) for kind in column_types]
