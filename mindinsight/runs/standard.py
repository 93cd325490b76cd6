"""The runs that a page shows while the user has selected none. Used to prepare the data of such a page.

The pages apply the same rule (`standardSet` in `frontend/src/data/runs/runs.ts`), as runs come and go.
"""

from __future__ import annotations

from django.db.models import F

from mindinsight.runs.order import on_shelf
from mindinsight.runs.queries import Wanted, matching

ALL_UP_TO = 10
NEWEST = 5


def standard_runs() -> list[int]:
    """Returns the numbers of the runs, newest first: all that are not archived, or the newest of very many."""
    wanted = Wanted(condition=on_shelf("active"), order=(F("first_wall").desc(nulls_first=True), "-pk"))
    newest = list(matching(wanted=wanted).values_list("pk", flat=True)[: ALL_UP_TO + 1])
    return newest if len(newest) <= ALL_UP_TO else newest[:NEWEST]
