"""Datasets in record formats that users write: MindRecord and TFRecord."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from framework.common.validator import check_bool, check_non_negative_int, check_string
from framework.dataset.engine.caching import DatasetCache, cached
from framework.dataset.engine.images import FilesDataset
from framework.dataset.engine.published.file_lists import FilesSampler, found_files, sampler_json_of, shuffle_mode
from framework.dataset.engine.samplers import PKSampler
from framework.dataset.engine.schema import Schema
from framework.dataset.engine.shuffling import RunsSampler, Shuffle
from framework.dataset.formats.tfrecord import TFRecordFiles
from framework.dataset.mindrecord.files import MindRecordFiles
from framework.dataset.runtime.rows import Array, as_array

__all__ = ["MindDataset", "TFRecordDataset"]


class _Padded:
    """The rows of files, followed by copies of one row that fill up the shards of a training."""

    def __init__(self, files: MindRecordFiles, sample: Mapping[str, Any], count: int) -> None:
        self.columns = files.columns
        self._files, self._count = files, count
        for name in self.columns:
            if name not in sample:
                raise ValueError(f"padded_sample has no column {name!r}")
        self._sample = tuple(_column(sample[name]) for name in self.columns)

    def __len__(self) -> int:
        return len(self._files) + self._count

    def row(self, index: int) -> tuple[Array, ...]:
        """The values of a row."""
        return self._files.row(index) if index < len(self._files) else self._sample

    def describe(self, index: int) -> str:
        """The origin of a row, for messages."""
        return self._files.describe(index) if index < len(self._files) else "the padded sample"

    def labels(self) -> Array | None:
        """Padded rows belong to no class."""
        return self._files.labels()


def _column(value: Any) -> Array:
    return np.array([value], f"S{max(len(value), 1)}") if isinstance(value, bytes) else as_array(value)


class MindDataset(FilesDataset):
    """The rows of MindRecord files, with a column for each field: scalars and texts (), bytes (1,) of numpy's type S.

    Args:
        dataset_files: path of one file, with which the others of its set are found, or a list of the paths to read.
        columns_list: names of the columns, in order; None for all, sorted by name.
        num_parallel_workers: recorded in the pipeline.
        shuffle: True, False, or one of `ds.Shuffle`; None for True, unless a sampler is given.
        num_shards: number of shards, of which one is read; None for no shards.
        shard_id: index of the shard, from 0.
        sampler: a sampler, or an iterable of row indices; None for the default.
        padded_sample: a row that is added `num_padded` times at the end, with a value for each of `columns_list`.
        num_padded: how often; rows and padded rows together must fill all shards.
        num_samples: number of rows to read; None for all.
        cache: a `DatasetCache` that keeps the rows; None for none.

    Raises:
        RuntimeError: a file is missing or damaged, or has no such column.
        ValueError: arguments contradict each other.
    """

    def __init__(
        self,
        dataset_files: str | Sequence[str],
        columns_list: Sequence[str] | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        sampler: Any = None,
        padded_sample: Mapping[str, Any] | None = None,
        num_padded: int | None = None,
        num_samples: int | None = None,
        cache: DatasetCache | None = None,
    ) -> None:
        classes = sampler.class_column if isinstance(sampler, PKSampler) else ""
        files = MindRecordFiles(dataset_files, columns_list, classes)
        source: MindRecordFiles | _Padded = files
        if padded_sample is not None or num_padded is not None:
            source = _padded(files, columns_list, padded_sample, num_padded, num_shards)
        sampler, shuffle = _shuffling(files.counts, shuffle, sampler, num_samples, num_shards)
        given = dataset_files if isinstance(dataset_files, list | tuple) else [dataset_files]
        parameters = {
            "dataset_files": [str(path) for path in given],
            "columns_list": list(columns_list or ()),
            "num_padded": num_padded or 0,
        }
        super().__init__(
            cached(source, cache),
            parameters,
            num_parallel_workers,
            (sampler, shuffle, num_samples, num_shards, shard_id),
        )


def _shuffling(
    counts: Sequence[int],
    shuffle: bool | Shuffle | None,
    sampler: Any,
    num_samples: int | None,
    num_shards: int | None,
) -> tuple[Any, bool | None]:
    """The sampler, and the flag for `shuffle` if it is one of `Shuffle`."""
    if not isinstance(shuffle, Shuffle):
        return sampler, shuffle
    if shuffle not in (Shuffle.FILES, Shuffle.INFILE):
        return sampler, shuffle is not Shuffle.FALSE
    if num_samples or sampler is not None or num_shards is not None:
        raise ValueError(f"shuffle={shuffle.name} cannot be given with num_samples, sampler or num_shards")
    return RunsSampler(counts, shuffle is Shuffle.INFILE), None


def _padded(
    files: MindRecordFiles,
    columns_list: Sequence[str] | None,
    sample: Mapping[str, Any] | None,
    count: int | None,
    num_shards: int | None,
) -> _Padded:
    if sample is None or count is None or columns_list is None:
        raise ValueError("padded_sample, num_padded and columns_list belong together: give all or none")
    check_non_negative_int(count, "num_padded")
    total = len(files) + count
    if total % (num_shards or 1):
        raise ValueError(f"{len(files)} rows and {count} padded ones do not fill {num_shards} shards evenly")
    return _Padded(files, sample, count)


class TFRecordDataset(FilesDataset):
    """The records of TFRecord files, with a column for each feature: Int64 (n,), Float32 (n,), or texts as UInt8 (n,).

    Args:
        dataset_files: paths of the files, or a pattern with `*` and `?`; they are read in alphabetical order.
        schema: the types and shapes of the columns: a `Schema`, or the path of its JSON file; None for those of the
            values.
        columns_list: names of the columns, in order; None for those of the schema, or all features of the first record.
        num_samples: number of rows to read; None for the number in the schema, or all.
        num_parallel_workers: recorded in the pipeline.
        shuffle: True, False, or one of `ds.Shuffle`.
        num_shards: number of shards, of which one is read; None for no shards.
        shard_id: index of the shard, from 0.
        shard_equal_rows: shards are equal numbers of rows, not whole files, of which there must then be enough.
        cache: a `DatasetCache` that keeps the rows; None for none.
        compression_type: "", "GZIP" or "ZLIB"; None for "".

    Raises:
        ValueError: there is no such file, or an argument has a wrong value.
        RuntimeError: a file is damaged. It is raised when it is read.
    """

    def __init__(
        self,
        dataset_files: str | Sequence[str],
        schema: Schema | str | None = None,
        columns_list: Sequence[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        shard_equal_rows: bool = False,
        cache: DatasetCache | None = None,
        compression_type: str | None = None,
    ) -> None:
        compression = check_string(compression_type or "", ["", "GZIP", "ZLIB"], "compression_type")
        files = found_files(dataset_files)
        known = Schema(schema) if isinstance(schema, str) else schema
        columns: dict[str, Any] = dict(known.columns) if known is not None else {}
        if columns_list:
            columns = {name: columns.get(name, (None, None)) for name in columns_list}
        rows = num_samples or (known.num_rows if known is not None else 0) or None
        equal = check_bool(shard_equal_rows, "shard_equal_rows") or bool(compression and rows)
        sampler = FilesSampler(shuffle_mode(shuffle), rows, num_shards, shard_id, whole_files=not equal)
        described: dict[str, Any] = {"schema_file_path": schema or ""}
        if isinstance(schema, Schema):
            described = {"schema_json_string": json.loads(schema.to_json())}
        parameters = {
            "dataset_files": files,
            "columns_list": list(columns_list or ()),
            "compression_type": compression,
            "shard_equal_rows": shard_equal_rows,
            "shuffle_global": sampler.mode == 2,
            "shuffle_files": sampler.mode in (1, 2),
            **sampler_json_of(sampler),
            **described,
        }
        source = TFRecordFiles(files, columns, compression)
        super().__init__(cached(source, cache), parameters, num_parallel_workers, (sampler, None, None, None, None))
