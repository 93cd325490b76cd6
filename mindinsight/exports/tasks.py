"""Celery tasks of exports. Each writes one run and queues the next behind other waiting tasks."""

from __future__ import annotations

import logging
import time

from celery import shared_task
from django.conf import settings
from django.db import Error as DatabaseError

from mindinsight.disks import trouble_in
from mindinsight.environment import Environment
from mindinsight.exports.models import Export

logger = logging.getLogger(__name__)

# Seconds after which the disk may have space again.
_AGAIN_S = 10
_UNFINISHED = (Export.State.WAITING, Export.State.WRITING)


@shared_task(name="exports.write_run")
def write_run(uid: str) -> None:
    """Writes the next run of an export into its archive, and queues the task for the following one.

    Args:
        uid: the export. Nothing happens if it is done, has failed or was removed.
    """
    export = Export.objects.filter(uid=uid, state__in=_UNFINISHED).first()
    if export is None:
        return
    # Imported by the first export: all formats together take half a megabyte, and most workers never export.
    from mindinsight.exports.archives import Archives, notes_of
    from mindinsight.transfer.errors import TransferError
    from mindinsight.transfer.export import Format

    environment: Environment = settings.ENVIRONMENT
    archives = Archives(environment.data_directory / "exports")
    name = export.runs[export.done]
    try:
        report = archives.add(uid, export.size, environment.base_directory, name, Format(export.target))
        export.done += 1
        export.size = archives.size(uid)
        export.points += report.points
        export.values += report.values
        export.notes = [*export.notes, *notes_of(report, name)]
        export.state = Export.State.WRITING
        if export.done == len(export.runs):
            export.size = archives.finish(uid)
            export.state = Export.State.DONE
    except (TransferError, OSError) as error:
        trouble = trouble_in(error, environment.data_directory)
        reason = error if trouble is None else trouble.message
        logger.warning("The export %s failed at the run %s: %s", uid, name, reason)
        archives.remove(uid)
        export.state, export.message = Export.State.FAILED, f"{name}: {reason}"
    export.changed = time.time()
    try:
        wanted = _save(export)
    except DatabaseError as error:
        logger.warning("The export %s starts again: its progress cannot be stored (%s)", uid, error)
        archives.remove(uid)
        write_run.apply_async((uid,), countdown=_AGAIN_S, retry=False)
        return
    if not wanted:
        archives.remove(uid)
    elif export.state == Export.State.WRITING:
        write_run.apply_async((uid,), retry=False)


def _save(export: Export) -> bool:
    """Returns whether the export still exists: it may have been removed in the meantime."""
    fields = ("done", "points", "values", "notes", "state", "message", "size", "changed")
    changes = {field: getattr(export, field) for field in fields}
    return bool(Export.objects.filter(pk=export.pk).update(**changes))
