"""What runs say about themselves: hyper-parameters and results, from lineage files and from hparams.

Called by the follower when such a record or file was read; the run's row keeps what is found.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from mindinsight.config.json_numbers import json_number
from mindinsight.ingest.falls import Rows
from mindinsight.ingest.followed import FollowedFile
from mindinsight.ingest.intake import DAMAGES_KEPT
from mindinsight.runs.models import Run
from summaries.notes import MAX_PARAMETERS, MAX_RESULT_TAGS, RunNotes
from summaries.parameters import hparams_of, read_lineage
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
    row.damages = [
        {"offset": damage.offset, "reason": damage.reason, "message": damage.message}
        for damage in notes.damages[:DAMAGES_KEPT]
    ]
    row.damage_count = len(notes.damages)
    row.offset = row.size = size
    row.complete = True
    file.intake.changed = True


def note_hparams(run: Run, path: Path, places: Rows) -> None:
    """Adds what hparams records say; one that cannot be read any more says nothing."""
    for place in places:
        offset = int(place["offset"])
        try:
            _add(run, hparams_of(read_record(path, offset, int(place["length"])), file=path, offset=offset))
        except (OSError, ValueError) as error:
            logger.warning("The hyper-parameters at byte %d of %s are lost: %s", offset, path, error)


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
