"""Datasets in the formats that programs write for themselves: MindRecord."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from framework.common.validator import check_non_negative_int
from framework.dataset.engine.images import FilesDataset
from framework.dataset.engine.samplers import PKSampler
from framework.dataset.engine.shuffling import RunsSampler, Shuffle
from framework.dataset.mindrecord.shards import MindRecordFiles
from framework.dataset.runtime.rows import Array, as_array

__all__ = ["MindDataset"]


class _Padded:
    """The rows of files, and after them copies of one row that fill up the shards of a training."""

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
        """Where a row comes from, for messages."""
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
        num_parallel_workers: recorded in the pipeline; rows are computed in one thread.
        shuffle: True, False, or one of `ds.Shuffle`; None for True, unless a sampler is given.
        num_shards: number of shards, of which one is read; None for no shards.
        shard_id: index of the shard, from 0.
        sampler: a sampler, or an iterable of row indices; None for the default.
        padded_sample: a row that is added `num_padded` times at the end, with a value for each of `columns_list`.
        num_padded: how often; rows and padded rows together must fill all shards.
        num_samples: number of rows to read; None for all.
        cache: accepted for compatibility; has no effect.

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
        cache: Any = None,
    ) -> None:
        classes = sampler.class_column if isinstance(sampler, PKSampler) else ""
        files = MindRecordFiles(dataset_files, columns_list, classes)
        source: MindRecordFiles | _Padded = files
        if padded_sample is not None or num_padded is not None:
            source = _padded(files, columns_list, padded_sample, num_padded, num_shards)
        if isinstance(shuffle, Shuffle):
            if shuffle in (Shuffle.FILES, Shuffle.INFILE):
                if num_samples or sampler is not None or num_shards is not None:
                    raise ValueError(f"shuffle={shuffle.name} cannot be given with num_samples, sampler or num_shards")
                sampler, shuffle = RunsSampler(files.counts, shuffle is Shuffle.INFILE), None
            else:
                shuffle = shuffle is not Shuffle.FALSE
        given = dataset_files if isinstance(dataset_files, list | tuple) else [dataset_files]
        parameters = {
            "dataset_files": [str(path) for path in given],
            "columns_list": list(columns_list or ()),
            "num_padded": num_padded or 0,
        }
        super().__init__(
            source, parameters, num_parallel_workers, (sampler, shuffle, num_samples, num_shards, shard_id)
        )


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
