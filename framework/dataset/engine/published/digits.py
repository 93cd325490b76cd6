"""Datasets of digits and letters beside MNIST, and rows of random numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from framework.common.validator import check_bool, check_positive_int, check_string
from framework.dataset import config
from framework.dataset.engine.caching import DatasetCache, cached
from framework.dataset.engine.images import FilesDataset
from framework.dataset.engine.node_arguments import folder_of
from framework.dataset.engine.schema import Schema
from framework.dataset.formats.more_digits import QMNIST_PARTS, DigitFiles, emnist_names
from framework.dataset.runtime.rows import Array

__all__ = ["EMnistDataset", "QMnistDataset", "RandomDataset"]


class EMnistDataset(FilesDataset):
    """EMNIST: letters and digits, `image` (28, 28, 1) UInt8 as in the files, and `label` UInt32.

    Args:
        dataset_dir: folder of the files (`emnist-letters-train-images-idx3-ubyte` and so on).
        name: "byclass", "bymerge", "balanced", "letters", "digits" or "mnist".
        usage: "train", "test" or "all"; None for "all".
        num_samples: number of rows to read; None for all.
        num_parallel_workers: recorded in the pipeline.
        shuffle: read in random order; None for True, unless a sampler is given.
        sampler: a sampler, or an iterable of row indices; None for the default.
        num_shards: number of shards, of which one is read; None for no shards.
        shard_id: index of the shard, from 0.
        cache: a `DatasetCache` that keeps the rows; None for none.

    Raises:
        ValueError: there is no such folder, or an argument has a wrong value.
        RuntimeError: a file is missing or damaged. It is raised when it is read.
    """

    def __init__(
        self,
        dataset_dir: str | Path,
        name: str,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: DatasetCache | None = None,
    ) -> None:
        check_string(name, ["byclass", "bymerge", "balanced", "letters", "digits", "mnist"], "name")
        part = "all" if usage is None else check_string(usage, ["train", "test", "all"], "usage")
        folder = folder_of(dataset_dir)
        source = DigitFiles(folder, emnist_names(name, part), "labels-idx1-ubyte")
        parameters = {"dataset_dir": folder, "name": name, "usage": part}
        sampling = (sampler, shuffle, num_samples, num_shards, shard_id)
        super().__init__(cached(source, cache), parameters, num_parallel_workers, sampling)


class QMnistDataset(FilesDataset):
    """QMNIST: `image` (28, 28, 1) UInt8, and `label` UInt32: the class, or eight numbers.

    Args:
        dataset_dir: folder of the files (`qmnist-train-images-idx3-ubyte`, `qmnist-train-labels-idx2-int` and so on).
        usage: "train", "test", "test10k", "test50k", "nist" or "all"; None for "all".
        compat: return the class alone, as MNIST does.
        num_samples: number of rows to read; None for all.
        num_parallel_workers: recorded in the pipeline.
        shuffle: read in random order; None for True, unless a sampler is given.
        sampler: a sampler, or an iterable of row indices; None for the default.
        num_shards: number of shards, of which one is read; None for no shards.
        shard_id: index of the shard, from 0.
        cache: a `DatasetCache` that keeps the rows; None for none.

    Raises:
        ValueError: there is no such folder, or an argument has a wrong value.
        RuntimeError: a file is missing or damaged. It is raised when it is read.
    """

    def __init__(
        self,
        dataset_dir: str | Path,
        usage: str | None = None,
        compat: bool = True,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: DatasetCache | None = None,
    ) -> None:
        part = "all" if usage is None else check_string(usage, list(QMNIST_PARTS), "usage")
        folder = folder_of(dataset_dir)
        source = DigitFiles(folder, QMNIST_PARTS[part], "labels-idx2-int", not check_bool(compat, "compat"))
        parameters = {"dataset_dir": folder, "usage": part, "compat": compat}
        sampling = (sampler, shuffle, num_samples, num_shards, shard_id)
        super().__init__(cached(source, cache), parameters, num_parallel_workers, sampling)


class _RandomRows:
    """Rows that depend on a seed and their index alone."""

    concurrent = True

    def __init__(self, schema: Schema, count: int, seed: int) -> None:
        self.columns = tuple(schema.columns)
        self._kinds, self._count, self._seed = list(schema.columns.values()), count, seed

    def __len__(self) -> int:
        return self._count

    def row(self, index: int) -> tuple[Array, ...]:
        """Random bytes in the form of each column."""
        stream = np.random.default_rng((self._seed, index))
        return tuple(_value(stream, dtype, shape or ()) for dtype, shape in self._kinds)

    def describe(self, index: int) -> str:
        """The row's index."""
        return f"random row {index}"

    def labels(self) -> Array | None:
        """None: rows have no class."""
        return None


def _value(stream: np.random.Generator, dtype: np.dtype[Any], shape: Sequence[int]) -> Array:
    if dtype.kind == "f":
        return np.asarray(stream.random(shape), dtype)
    if dtype.kind == "b":
        return np.asarray(stream.integers(2, size=shape), dtype)
    if dtype.kind == "S":
        return np.asarray(stream.integers(97, 123, size=shape), np.uint8).astype(np.uint32).view("U1").reshape(shape)
    limits = np.iinfo(dtype)
    return np.asarray(stream.integers(limits.min, limits.max, size=shape, dtype=dtype, endpoint=True))


class RandomDataset(FilesDataset):
    """Rows of random numbers, for trying pipelines and measuring them.

    Args:
        total_rows: number of rows; None for a random number up to 1000.
        schema: the columns, of which each needs a type; a `Schema`, or the path of its JSON file. None for one to four
            columns of random types and shapes.
        columns_list: names of the columns to return; None for all.
        num_samples: number of rows to read; None for all.
        num_parallel_workers: number of threads; None for that of `ds.config`.
        cache: a `DatasetCache` that keeps the rows; None for none.
        shuffle: read in random order; None for False.
        num_shards: number of shards, of which one is read; None for no shards.
        shard_id: index of the shard, from 0.

    Raises:
        ValueError: a column has no type or an open shape, or there is none of a name.
    """

    def __init__(
        self,
        total_rows: int | None = None,
        schema: Schema | str | None = None,
        columns_list: Sequence[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        cache: DatasetCache | None = None,
        shuffle: bool | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
    ) -> None:
        seed = config.base_seed()
        stream = np.random.default_rng(seed)
        rows = int(stream.integers(1, 1001)) if not total_rows else check_positive_int(total_rows, "total_rows")
        known = Schema(schema) if isinstance(schema, str) else schema or _random_schema(stream)
        for name in columns_list or ():
            if name not in known.columns:
                raise ValueError(f"columns_list: there is no column {name!r}, only {', '.join(known.columns)}")
        chosen = Schema()
        for name in columns_list or known.columns:
            dtype, shape = known.columns[name]
            if -1 in (shape or ()):
                raise ValueError(f"schema: column {name!r} needs a shape without -1, not {shape}")
            chosen.add_column(name, "string" if dtype.kind == "S" else dtype, shape)
        parameters = {"total_rows": rows, "columns_list": list(columns_list or ())}
        sampling = (None, bool(shuffle), num_samples, num_shards, shard_id)
        super().__init__(cached(_RandomRows(chosen, rows, seed), cache), parameters, num_parallel_workers, sampling)


def _random_schema(stream: np.random.Generator) -> Schema:
    schema = Schema()
    for number in range(int(stream.integers(1, 5))):
        kind = str(stream.choice(["uint8", "int32", "int64", "float32", "float64"]))
        shape = [int(size) for size in stream.integers(1, 5, size=int(stream.integers(0, 4)))]
        schema.add_column(f"c{number}", kind, shape)
    return schema
