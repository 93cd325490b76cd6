"""Finds the input pipelines of runs in their lineage files. Called by `sources` and by the list of graphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache

from django.conf import settings

from mindinsight.runs.models import EventFile
from mindinsight.store import Originals
from mindinsight.stored_names import beneath
from summaries.beneath import FilePath, stat_file
from summaries.reading.parameters import read_pipeline

MOST_FILES = 100
"""Maximum number of lineage files that are read, the newest ones."""
_REMEMBERED = 20_000
_DIFFERENT = 2_000


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The newest input pipeline of a run.

    Attributes:
        content: bytes of a `DatasetGraph`. Equal pipelines share one object.
        file: the lineage file, for messages.
    """

    content: bytes
    file: str


def find_pipeline(run: int) -> Pipeline | None:
    """Returns the newest input pipeline of a run, or None if there is none.

    Lineage files are read each time: they are small, and the reader does not store the places of their records.

    Args:
        run: the run's number.
    """
    for file in _files({run}):
        try:
            content = read_pipeline(_where(file))
        except OSError:
            continue
        if content is not None:
            return Pipeline(content, file.path)
    return None


def pipeline_files(runs: Collection[int]) -> dict[int, str]:
    """Returns the lineage file with the newest input pipeline of each run. Runs without one are left out.

    Args:
        runs: numbers of runs.
    """
    return {run: pipeline.file for run, pipeline in newest_pipelines(runs).items()}


def newest_pipelines(runs: Collection[int]) -> dict[int, Pipeline]:
    """Returns the newest input pipeline of each run. Runs without one are left out.

    A file is read again only if it has changed. Equal pipelines are stored once.

    Args:
        runs: numbers of runs.
    """
    found: dict[int, Pipeline] = {}
    for file in _files(runs):
        if file.run_id in found:
            continue
        path = _where(file)
        try:
            status = stat_file(path)
            content = _content_of(path, (status.st_ino, status.st_size, status.st_mtime_ns))
        except OSError:
            continue
        if content is not None:
            found[file.run_id] = Pipeline(content, file.path)
    return found


def _files(runs: Collection[int]) -> Iterator[EventFile]:
    """Lineage files of some runs, the newest first."""
    chosen = EventFile.objects.filter(run__in=runs, run__removed="", kind=EventFile.Kind.LINEAGE)
    seen: Counter[int] = Counter()
    for file in chosen.order_by("-opened", "-path"):
        seen[file.run_id] += 1
        if seen[file.run_id] <= MOST_FILES:
            yield file


def _where(file: EventFile) -> FilePath:
    environment = settings.ENVIRONMENT
    originals = Originals(environment.data_directory / "columns")
    return originals.find(file.run_id, file.pk, beneath(environment.base_directory, file.path))


@lru_cache(maxsize=_REMEMBERED)
def _content_of(path: FilePath, _seen: tuple[int, int, int]) -> bytes | None:
    content = read_pipeline(path)
    return None if content is None else _once(content)


@lru_cache(maxsize=_DIFFERENT)
def _once(content: bytes) -> bytes:
    """Returns equal bytes as the same object."""
    return content
