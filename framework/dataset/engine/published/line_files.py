"""Datasets of files of lines: texts, tables, and the benchmark CLUE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from framework.common.validator import check_string
from framework.dataset.engine.caching import DatasetCache, cached
from framework.dataset.engine.images import FilesDataset
from framework.dataset.engine.node_arguments import names_of
from framework.dataset.engine.published.file_lists import FilesSampler, found_files, sampler_json_of, shuffle_mode
from framework.dataset.engine.shuffling import Shuffle
from framework.dataset.formats.lines import TextLines
from framework.dataset.formats.tables import CLUE_TASKS, ClueLines, Table
from framework.dataset.runtime import Source

__all__ = ["CLUEDataset", "CSVDataset", "TextFileDataset"]

_Shuffle = bool | Shuffle | None


class _LinesDataset(FilesDataset):
    def __init__(
        self,
        source: Source,
        parameters: Mapping[str, Any],
        sampler: FilesSampler,
        workers: int | None,
        cache: DatasetCache | None,
    ) -> None:
        made = {**parameters, **sampler_json_of(sampler)}
        super().__init__(cached(source, cache), made, workers, (sampler, None, None, None, None))


class TextFileDataset(_LinesDataset):
    """The lines of text files: `text`, without empty lines and line ends.

    Args:
        dataset_files: paths of the files, or patterns with `*` and `?`; they are read in alphabetical order.
        num_samples: number of rows to read; None for all.
        num_parallel_workers: number of threads that read lines; None for that of `ds.config`.
        shuffle: True, False, or one of `ds.Shuffle`. Rows that are not shuffled come from all files in turn.
        num_shards: number of shards, of which one is read; all have one length. None for no shards.
        shard_id: index of the shard, from 0.
        cache: a `DatasetCache` that keeps the rows; None for none.

    Raises:
        ValueError: there is no such file, or an argument has a wrong value.
        RuntimeError: a line is not UTF-8, or there is none. It is raised when it is read.
    """

    def __init__(
        self,
        dataset_files: str | Sequence[str],
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: _Shuffle = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: DatasetCache | None = None,
    ) -> None:
        files = found_files(dataset_files)
        sampler = FilesSampler(shuffle_mode(shuffle), num_samples, num_shards, shard_id)
        super().__init__(TextLines(files), {"dataset_files": files}, sampler, num_parallel_workers, cache)


class CSVDataset(_LinesDataset):
    """The rows of tables with comma-separated values: texts, or Int32, Float32 and texts as `column_defaults` says.

    Args:
        dataset_files: paths of the files, or patterns with `*` and `?`; they are read in alphabetical order.
        field_delim: the character between fields; None for ",".
        column_defaults: for each column an int, a float or a text, which gives its type and stands for empty fields;
            None for texts.
        column_names: names of the columns; None if the first line of each file has them.
        num_samples: number of rows to read; None for all.
        num_parallel_workers: number of threads that read lines; None for that of `ds.config`.
        shuffle: True, False, or one of `ds.Shuffle`. Rows that are not shuffled come from all files in turn.
        num_shards: number of shards, of which one is read; all have one length. None for no shards.
        shard_id: index of the shard, from 0.
        cache: a `DatasetCache` that keeps the rows; None for none.

    Raises:
        ValueError: there is no such file, or an argument has a wrong value.
        RuntimeError: a line has another number of fields, or a field another type. It is raised when it is read.
    """

    def __init__(
        self,
        dataset_files: str | Sequence[str],
        field_delim: str | None = ",",
        column_defaults: Sequence[int | float | str] | None = None,
        column_names: Sequence[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: _Shuffle = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: DatasetCache | None = None,
    ) -> None:
        files = found_files(dataset_files)
        delimiter = "," if field_delim is None else field_delim
        if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n':
            raise ValueError(f"field_delim must be one character, but no quotation mark or line end, not {delimiter!r}")
        defaults = list(column_defaults or ())
        for default in defaults:
            if isinstance(default, bool) or not isinstance(default, int | float | str):
                raise TypeError(f"column_defaults must be ints, floats or texts, not {default!r}")
        names = names_of("column_names", column_names)
        if names and defaults and len(names) != len(defaults):
            raise ValueError(f"there are {len(defaults)} column_defaults for {len(names)} column_names")
        sampler = FilesSampler(shuffle_mode(shuffle), num_samples, num_shards, shard_id)
        own = {"column_defaults": defaults} if defaults else {}
        parameters = {"dataset_files": files, "field_delim": delimiter, "column_names": names, **own}
        super().__init__(Table(files, delimiter, defaults, names), parameters, sampler, num_parallel_workers, cache)


class CLUEDataset(_LinesDataset):
    """The files of a task of CLUE (Xu et al. 2020), with texts, or numbers UInt32, for the fields of the task.

    Args:
        dataset_files: paths of the files, or patterns with `*` and `?`; they are read in alphabetical order.
        task: "AFQMC", "CMNLI", "CSL", "IFLYTEK", "TNEWS" or "WSC".
        usage: "train", "test" or "eval".
        num_samples: number of rows to read; None for all.
        num_parallel_workers: number of threads that read lines; None for that of `ds.config`.
        shuffle: True, False, or one of `ds.Shuffle`. Rows that are not shuffled come from all files in turn.
        num_shards: number of shards, of which one is read; all have one length. None for no shards.
        shard_id: index of the shard, from 0.
        cache: a `DatasetCache` that keeps the rows; None for none.

    Raises:
        ValueError: there is no such file, or an argument has a wrong value.
        RuntimeError: a line is no JSON or lacks a field of the task. It is raised when it is read.
    """

    def __init__(
        self,
        dataset_files: str | Sequence[str],
        task: str = "AFQMC",
        usage: str = "train",
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: _Shuffle = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: DatasetCache | None = None,
    ) -> None:
        files = found_files(dataset_files)
        check_string(task, list(CLUE_TASKS), "task")
        check_string(usage, ["train", "test", "eval"], "usage")
        sampler = FilesSampler(shuffle_mode(shuffle), num_samples, num_shards, shard_id)
        parameters = {"dataset_dir": files, "task": task, "usage": usage}
        super().__init__(ClueLines(files, task, usage), parameters, sampler, num_parallel_workers, cache)
