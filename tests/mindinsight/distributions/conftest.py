"""Runs whose event files stand below the base directory and whose places are in the store."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from mindinsight.environment import Environment
from mindinsight.runs.models import EventFile, Run, Series
from mindinsight.store import ColumnStore, Table
from summaries import EventFileReader, Kind

Take = Callable[[Path], Run]


@pytest.fixture
def take(environment: Environment, db: None) -> Take:
    """Takes an event file below the base directory into the store, as the ingest does."""
    store = ColumnStore(environment.data_directory / "columns")
    store.clear()
    numbers = count(1)

    def take(path: Path) -> Run:
        name = path.parent.relative_to(environment.base_directory)
        run, _ = Run.objects.get_or_create(name=str(name))
        file = EventFile.objects.create(run=run, path=str(path.relative_to(environment.base_directory)))
        reader = EventFileReader(path)
        while True:
            batch = reader.read()
            for index, kind, places in batch.others():
                series, _ = Series.objects.get_or_create(
                    run=run, file=file, tag=batch.tags[index], kind=kind, defaults={"id": next(numbers)}
                )
                series.count = store.write(Table.PLACES, run.pk, series.pk, series.count, places)
                series.first_step, series.last_step = int(places["step"][0]), int(places["step"][-1])
                series.save()
            if batch.complete:
                return run

    return take


@pytest.fixture
def number_of() -> Callable[[str], int]:
    """The number of the only series of histograms with a tag."""
    return lambda tag: int(Series.objects.get(tag=tag, kind=Kind.HISTOGRAM).pk)
