"""Finds the files that MindSpore's profiler wrote about data pipelines, and gives them the form of recorded ones.

Called by the views. Format of `pipeline_profiling_<id>.json`: `{"sampling_interval": ms, "op_info": [{"op_id",
"op_type", "num_workers", "children", "metrics": {"output_queue": {"size": [...], "length": n}} or null}]}`, parents
and children in any order. `device_queue_profiling_<id>.txt` and `dataset_iterator_profiling_<id>.txt` have the queue in
front of the training: lines of five numbers, where the first is 1 for a queue, the second its length and the fourth the
number of batches in it. A file of this training core says `"recorder": "mindinsight"`; its records tell more.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from mindinsight.api.problems import Problem
from mindinsight.pipelines.profiled import Front, pipeline_in
from mindinsight.stored_names import on_disk, stored
from summaries.beneath import Beneath

_NAME: Final = re.compile(r"pipeline_profiling_(\d{1,9})\.json")
_FRONTS: Final = ("device_queue_profiling_{}.txt", "dataset_iterator_profiling_{}.txt")
_MOST_FOLDERS: Final = 20_000
_MOST_BYTES: Final = 64 << 20

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PipelineFile:
    """A file of MindSpore's profiler.

    Attributes:
        path: relative to the watched directory.
        run: name of the run in whose directory it is.
        rank: the number in its name.
    """

    path: str
    run: str
    rank: int


def find_files(base: Path, runs: frozenset[str], within: str = "") -> list[PipelineFile]:
    """Returns the files in the directories of runs, by path. Symbolic links are not followed.

    Args:
        base: the watched directory.
        runs: names of all runs. A file belongs to the innermost one around it.
        within: name of a run, to look in its directory only.
    """
    return sorted(_walk(base, base / on_disk(within), runs), key=lambda one: (one.run, one.rank, one.path))


def _walk(base: Path, top: Path, runs: frozenset[str]) -> Iterator[PipelineFile]:
    for number, (folder, folders, files) in enumerate(os.walk(top)):
        if number >= _MOST_FOLDERS:
            return
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in files:
            found = _NAME.fullmatch(name)
            if found is None:
                continue
            path = stored(Path(folder, name).relative_to(base).as_posix())
            if Path(folder, name).is_symlink():
                continue
            run = next((str(each) for each in PurePosixPath(path).parents if str(each) in runs), None)
            if run is not None and not _is_ours(Path(folder, name)):
                yield PipelineFile(path, run, int(found[1]))


def _is_ours(path: Path) -> bool:
    """Whether the training core wrote a file; the words are at its start."""
    try:
        with path.open("rb") as file:
            return b'"recorder": "mindinsight"' in file.read(200)
    except OSError:
        return False


def identity(file: Beneath) -> tuple[object, ...]:
    """Returns what is different once a file is written again.

    Raises:
        Problem: `file_gone`.
    """
    try:
        status = file.stat()
    except OSError as error:
        raise Problem("file_gone", f"{stored(file.relative)} no longer exists.", 404, file=file.relative) from error
    return (status.st_ino, status.st_size, status.st_mtime_ns)


def read_file(file: Beneath) -> Json:
    """Returns the pipeline in a file.

    Raises:
        Problem: `file_gone`, `file_unreadable` or `not_a_pipeline`.
    """
    name = stored(file.relative)
    content = _content(file, name)
    try:
        return pipeline_in(content, _front(file))
    except ValueError as error:
        message = f"{name} is not a data pipeline of MindSpore's profiler: {error}"
        raise Problem("not_a_pipeline", message, 422, file=name, reason=str(error)) from None


def _content(file: Beneath, name: str) -> bytes:
    try:
        with os.fdopen(file.open(), "rb") as opened:
            content = opened.read(_MOST_BYTES + 1)
    except FileNotFoundError as error:
        raise Problem("file_gone", f"{name} no longer exists.", 404, file=name) from error
    except OSError as error:
        reason = str(error.strerror)
        message = f"{name} cannot be read: {reason}."
        raise Problem("file_unreadable", message, 404, file=name, reason=reason) from error
    if len(content) > _MOST_BYTES:
        message = f"{name} is larger than {_MOST_BYTES >> 20} MiB."
        raise Problem("not_a_pipeline", message, 422, file=name, reason=message)
    return content


def _front(file: Beneath) -> Front | None:
    """How full the queue in front of the training was, batch by batch, and its length; None if no file has it."""
    rank = _NAME.fullmatch(file.name)
    for name in _FRONTS if rank else ():
        beside = file.relative.rpartition("/")[0]
        try:
            other = Beneath(file.base, f"{beside}/{name.format(rank[1])}".lstrip("/"))  # type: ignore[index]
            with os.fdopen(other.open(), "rb") as opened:
                lines = opened.read(_MOST_BYTES).decode("ascii", "replace").splitlines()
        except OSError:
            continue
        numbers = [line.split() for line in lines if line.startswith("1 ")]
        queue = [(int(row[1]), int(row[3])) for row in numbers if len(row) >= 4 and (row[1] + row[3]).isdecimal()]
        if queue and queue[0][0]:
            return [float(size) for _, size in queue], float(queue[0][0])
    return None
