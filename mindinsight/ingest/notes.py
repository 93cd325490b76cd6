"""What runs say about themselves: hyper-parameters and results, from lineage files and from hparams, and what they are
made with.

Called by the follower when such a record or file was read; the run's row, or one beside it, keeps what is found.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterable, Mapping
from itertools import islice

from mindinsight.config.json_numbers import json_number
from mindinsight.ingest.falls import Rows
from mindinsight.ingest.followed import FollowedFile
from mindinsight.ingest.intake import kept_damages
from mindinsight.ingest.upsert import upsert
from mindinsight.runs.models import Run, RunEnvironment
from summaries.beneath import FilePath
from summaries.kinds import Kind
from summaries.reading.environment import Noted, read_environment
from summaries.reading.notes import MAX_PARAMETERS, MAX_RESULT_TAGS, RunNotes
from summaries.reading.parameters import hparams_of, read_lineage
from summaries.records import read_record

logger = logging.getLogger(__name__)


def read_lineage_file(file: FollowedFile) -> None:
    """Reads a lineage file anew, as a whole: such files are small, and later records add to earlier ones.

    Raises:
        OSError: it cannot be read.
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
    """Adds what records of an event file say to the run's row; one that cannot be read any more says nothing.

    Args:
        run: the run's row.
        path: the file.
        noted: where the records stand, with their kinds.

    Returns:
        What the newest of them says about the environment, which `keep_environments` keeps.
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
    """Returns what the newest of some records says a run is made with, or None.

    Args:
        path: their file.
        noted: where they stand, with their kinds.
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
    """Returns what was noted later; the second where they are equal."""
    if one is None or other is None:
        return one or other
    return one if _moment(one) > _moment(other) else other


def keep_environments(found: Mapping[int, Noted]) -> None:
    """Writes what runs are made with, by number, unless something newer is known.

    Raises:
        django.db.Error: nothing is promised about what was written; call it inside a transaction.
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
    """When that was; databases take no NaN."""
    return noted.wall if math.isfinite(noted.wall) else 0.0


def _add(run: Run, notes: RunNotes) -> None:
    known = (run.params, run.metrics, run.result_tags)
    run.params = _merged(run.params, notes.params)
    run.metrics = _merged(run.metrics, notes.metrics)
    run.result_tags = list(dict.fromkeys([*run.result_tags, *notes.result_tags]))[:MAX_RESULT_TAGS]
    if (run.params, run.metrics, run.result_tags) != known:
        run.noted = time.time_ns()


def _merged(known: Mapping[str, object], new: Mapping[str, object]) -> dict[str, object]:
    """Newer values replace older ones; however many records there are, a run keeps a bounded number of names."""
    # Databases refuse JSON with NaN in it.
    storable = {name: json_number(value) if isinstance(value, float) else value for name, value in new.items()}
    return dict(islice({**known, **storable}.items(), MAX_PARAMETERS))
