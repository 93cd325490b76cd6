"""Celery tasks of the reader: portions of a large back-log.

A chain of tasks reads a file with a large back-log. Each task reads a limited part, so that the reader's loop is free
for growing files. `backlog` starts the chains and takes files back.
"""

from __future__ import annotations

import logging

from celery import shared_task
from django.conf import settings
from django.db import transaction

from mindinsight.environment import Environment
from mindinsight.ingest.storing.book import SERIES_FIELDS
from mindinsight.ingest.storing.intake import Intake, ReplacedError
from mindinsight.ingest.storing.ledger import FILE_FIELDS
from mindinsight.ingest.storing.notes import environment_in, keep_environments, newer
from mindinsight.ingest.storing.numbers import SeriesNumbers
from mindinsight.ingest.storing.upsert import upsert
from mindinsight.runs.models import EventFile, Run, Series
from mindinsight.store import ColumnStore, Originals
from mindinsight.stored_names import beneath
from summaries.reading.environment import Noted

logger = logging.getLogger(__name__)

PORTION_BYTES = 128 << 20
WINDOW_BYTES = 4 << 20
_SWEPT_AT_ONCE = 200


@shared_task(name="ingest.read_backlog")
def read_backlog(file_number: int, chain: str) -> None:
    """Reads the next portion of a file and queues the following task.

    Args:
        file_number: number of the event file's row.
        chain: the expected value of the row's `backlog`. Nothing happens if it differs, because the file was taken back
        or removed.
    """
    row = EventFile.objects.filter(pk=file_number, backlog=chain).first()
    if row is None:
        return
    environment: Environment = settings.ENVIRONMENT
    store = ColumnStore(environment.data_directory / "columns")
    intake = Intake(row, beneath(environment.base_directory, row.path), store, SeriesNumbers())
    try:
        noted = read_portion(intake)
    except (OSError, ReplacedError) as error:
        logger.warning("The back-log of %s cannot be read (%s); the reader will read it", row.path, error)
        _give_back(row, chain)
        return
    if _commit(intake, chain, noted) and not row.complete:
        read_backlog.apply_async((file_number, chain), retry=False)


@shared_task(name="ingest.sweep")
def sweep(below: int, after_run: int = 0) -> None:
    """Removes rows of the store that no series counts. A killed reader had written but not counted them.

    Args:
        below: series with this or a higher number may belong to the running reader and are skipped.
        after_run: runs up to this number are done, and so are series in shared files.
    """
    store = ColumnStore(settings.ENVIRONMENT.data_directory / "columns")
    if not after_run:
        _sweep_forgotten_runs(store)
        _sweep_short_series(store, below)
    runs = list(Run.objects.filter(pk__gt=after_run).order_by("pk").values_list("pk", flat=True)[:_SWEPT_AT_ONCE])
    for run in runs:
        there = {number for number in store.series_of(run) if number < below}
        if there:
            counted = set(Series.objects.filter(run=run, pk__lt=below).values_list("pk", flat=True))
            for number in there - counted:
                store.remove_series(run, number)
    if len(runs) == _SWEPT_AT_ONCE:
        sweep.apply_async((below, runs[-1]), retry=False)


def _sweep_forgotten_runs(store: ColumnStore) -> None:
    """Removes the stored data of runs without a row. A run has its row before it has data in the store."""
    there = sorted(store.runs())
    for first in range(0, len(there), _SWEPT_AT_ONCE):
        some = there[first : first + _SWEPT_AT_ONCE]
        store.remove_runs(set(some) - set(Run.objects.filter(pk__in=some).values_list("pk", flat=True)))


def _sweep_short_series(store: ColumnStore, below: int) -> None:
    for runs in store.short_series():
        there = [number for number in runs if number < below]
        counted = set(Series.objects.filter(pk__in=there).values_list("pk", flat=True))
        for number in there:
            if number not in counted:
                store.remove_series(runs[number], number)


@shared_task(name="ingest.keep_copy")
def keep_copy(file_number: int) -> None:
    """Copies an event file into the store, so that it stays readable after its deletion."""
    row = EventFile.objects.filter(pk=file_number).first()
    if row is None:
        return
    environment: Environment = settings.ENVIRONMENT
    try:
        Originals(environment.data_directory / "columns").copy(
            row.run_id, row.pk, beneath(environment.base_directory, row.path)
        )
    except OSError as error:
        logger.warning("No copy of %s could be kept: %s", row.path, error)


def read_portion(intake: Intake) -> Noted | None:
    """Reads until the portion is complete or the file's end is reached.

    Returns:
        The run's environment, if the portion contains it.
    """
    first, looked = intake.row.offset, 0
    noted: Noted | None = None
    # After a gap the search position is not stored, so the search is done in one go.
    while not intake.row.complete and (looked < PORTION_BYTES or intake.row.offset == first):
        stored = intake.read(WINDOW_BYTES)
        looked += stored.looked
        noted = newer(noted, environment_in(intake.path, stored.noted))
        if not stored.looked:
            break
    return noted


def _commit(intake: Intake, chain: str, noted: Noted | None) -> bool:
    """Writes the rows, unless the file was taken back in the meantime. Then the reader writes the same rows."""
    with transaction.atomic():
        if not EventFile.objects.filter(pk=intake.row.pk, backlog=chain).update(backlog=chain):
            return False
        upsert(EventFile, [intake.row], FILE_FIELDS)
        upsert(Series, intake.book.dirty.values(), SERIES_FIELDS)
        keep_environments({} if noted is None else {intake.row.run_id: noted})
    return True


def _give_back(row: EventFile, chain: str) -> None:
    EventFile.objects.filter(pk=row.pk, backlog=chain).update(backlog="")
