"""What runs record about themselves: hyper-parameters and results (from lineage files and from hparams), and their
environment.

Called by the follower after such a record or file was read. The values are stored in the run's row, or in a row beside
it.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterable, Mapping
from itertools import islice

from mindinsight.api.json_numbers import json_number
from mindinsight.ingest.followed import FollowedFile
from mindinsight.ingest.storing.intake import kept_damages
from mindinsight.ingest.storing.segments import Rows
from mindinsight.ingest.storing.upsert import upsert
from mindinsight.runs.models import Run, RunEnvironment
from summaries.beneath import FilePath
from summaries.kinds import Kind
from summaries.reading.environment import Noted, read_environment
from summaries.reading.notes import MAX_PARAMETERS, MAX_RESULT_TAGS, RunNotes
from summaries.reading.parameters import hparams_of, read_lineage
from summaries.records import read_record

logger = logging.getLogger(__name__)


def read_lineage_file(file: FollowedFile) -> None:
    """Reads a whole lineage file again. Such files are small, and later records add to earlier ones.

    Raises:
        OSError: the file cannot be read.
    """
    row = file.row
    size = file.found.path.stat().st_size
    notes = read_lineage(file.found.path)
    _add(file.run.row, notes)
    row.damages = kept_damages(notes.damages)
    row.damage_count = len(notes.damages)
    row.offset = row.size = size
    row.complete = True
    file.intake.changed = True


def note_records(run: Run, path: FilePath, noted: Iterable[tuple[Kind, Rows]]) -> Noted | None:
    """Adds the values of an event file's records to the run's row. Unreadable records are skipped.

    Args:
        run: the run's row.
        path: the file.
        noted: the places of the records, with their kinds.

    Returns:
        The newest recorded environment, for `keep_environments`.
    """
    noted = list(noted)
    for kind, places in noted:
        for place in places if kind is Kind.HPARAMS else ():
            offset = int(place["offset"])
            try:
                _add(run, hparams_of(read_record(path, offset, int(place["length"])), file=path, offset=offset))
            except (OSError, ValueError) as error:
                logger.warning("The hyper-parameters at byte %d of %s are lost: %s", offset, path, error)
    return environment_in(path, noted)


def environment_in(path: FilePath, noted: Iterable[tuple[Kind, Rows]]) -> Noted | None:
    """Returns the newest environment in some records, or None.

    Args:
        path: their file.
        noted: the places of the records, with their kinds.
    """
    newest: Noted | None = None
    for place in (place for kind, places in noted if kind is Kind.ENVIRONMENT for place in places):
        offset = int(place["offset"])
        try:
            found = read_environment(read_record(path, offset, int(place["length"])))
        except (OSError, ValueError) as error:
            logger.warning("The environment at byte %d of %s is lost: %s", offset, path, error)
            continue
        newest = newer(newest, found)
    return newest


def newer(one: Noted | None, other: Noted | None) -> Noted | None:
    """Returns the later environment; the second one if the times are equal."""
    if one is None or other is None:
        return one or other
    return one if _moment(one) > _moment(other) else other


def keep_environments(found: Mapping[int, Noted]) -> None:
    """Writes the environments of runs, by number, unless a newer one is stored.

    Raises:
        django.db.Error: a part may have been written. Call it inside a transaction.
    """
    if not found:
        return
    known = dict(RunEnvironment.objects.filter(pk__in=found).values_list("pk", "recorded"))
    rows = [
        RunEnvironment(run_id=run, recorded=_moment(noted), content=noted.content)
        for run, noted in found.items()
        if _moment(noted) >= known.get(run, -math.inf)
    ]
    upsert(RunEnvironment, rows, ("recorded", "content"))


def _moment(noted: Noted) -> float:
    """The time of the environment. Databases accept no NaN."""
    return noted.wall if math.isfinite(noted.wall) else 0.0


def _add(run: Run, notes: RunNotes) -> None:
    known = (run.params, run.metrics, run.result_tags)
    run.params = _merged(run.params, notes.params)
    run.metrics = _merged(run.metrics, notes.metrics)
    run.result_tags = list(dict.fromkeys([*run.result_tags, *notes.result_tags]))[:MAX_RESULT_TAGS]
    if (run.params, run.metrics, run.result_tags) != known:
        run.noted = time.time_ns()


def _merged(known: Mapping[str, object], new: Mapping[str, object]) -> dict[str, object]:
    """Newer values replace older ones. A run keeps a limited number of names, however many records there are."""
    # Databases reject JSON with NaN.
    storable = {name: json_number(value) if isinstance(value, float) else value for name, value in new.items()}
    return dict(islice({**known, **storable}.items(), MAX_PARAMETERS))
