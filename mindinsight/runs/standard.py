"""Which runs a page shows while nobody has chosen any. Asked for what such a page will need, before it knows the runs.

The pages decide the same for themselves (`standardSet` in `frontend/src/data/runs/runs.ts`), as runs come and go.
"""

from __future__ import annotations

from django.db.models import F

from mindinsight.runs.order import on_shelf
from mindinsight.runs.queries import Wanted, matching

ALL_UP_TO = 10
NEWEST = 5


def standard_runs() -> list[int]:
    """Returns the numbers of the runs, the newest first: all outside of the archive, or of very many the newest."""
    wanted = Wanted(condition=on_shelf("active"), order=(F("first_wall").desc(nulls_first=True), "-pk"))
    newest = list(matching(wanted=wanted).values_list("pk", flat=True)[: ALL_UP_TO + 1])
    return newest if len(newest) <= ALL_UP_TO else newest[:NEWEST]
