"""Finds the input pipeline of a run in its lineage files. Called by `sources`."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

from mindinsight.runs.models import EventFile
from mindinsight.store import Originals
from summaries.parameters import read_pipeline

MOST_FILES = 100
"""Of very many lineage files the newest are looked into."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The newest input pipeline of a run.

    Attributes:
        content: bytes of a `DatasetGraph`; the same for the same pipeline.
        file: the lineage file, as people know it.
    """

    content: bytes
    file: str


def find_pipeline(run: int) -> Pipeline | None:
    """Returns the newest input pipeline that a run notes, or None where it notes none.

    Lineage files are read anew: they are small, and the reader keeps no places of theirs.

    Args:
        run: the run's number.
    """
    environment = settings.ENVIRONMENT
    originals = Originals(environment.data_directory / "columns")
    files = EventFile.objects.filter(run=run, run__removed="", kind=EventFile.Kind.LINEAGE)
    for file in files.order_by("-opened", "-path")[:MOST_FILES]:
        try:
            content = read_pipeline(originals.find(run, file.pk, environment.base_directory / file.path))
        except OSError:
            continue
        if content is not None:
            return Pipeline(content, file.path)
    return None
