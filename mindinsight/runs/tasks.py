"""Celery tasks about runs: work of limited size that nobody waits for."""

from __future__ import annotations

import os
from pathlib import Path

from celery import shared_task
from django.conf import settings
from django.db import connection, transaction

from mindinsight.runs.models import Run
from mindinsight.stored_names import on_disk

MAX_FILES = 200_000


@shared_task(name="runs.measure_disk_use")
def measure_disk_use(run_numbers: list[int]) -> None:
    """Measures the disk usage of some runs' directories: event files, checkpoints and all other files.

    Args:
        run_numbers: numbers of the runs. Missing runs are ignored.
    """
    runs = Run.objects.filter(pk__in=run_numbers).values_list("pk", "name")
    sizes = [(_size_below(settings.ENVIRONMENT.base_directory / on_disk(name)), number) for number, name in list(runs)]
    _note_sizes(sizes)


def _note_sizes(sizes: list[tuple[int, int]]) -> None:
    """Writes the bytes of runs by number. Computed before, because the reader waits while this uses the database."""
    table, key, column = (
        connection.ops.quote_name(name) for name in (Run._meta.db_table, Run._meta.pk.attname, "bytes_on_disk")
    )
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.executemany(f"UPDATE {table} SET {column} = %s WHERE {key} = %s", sizes)  # noqa: S608  (our own names)


def _size_below(directory: Path) -> int:
    total = files = 0
    for parent, _, names in os.walk(directory):
        for name in names:
            files += 1
            if files > MAX_FILES:
                return total
            try:
                total += os.lstat(f"{parent}/{name}").st_size
            except OSError:
                continue
    return total
