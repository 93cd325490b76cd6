"""The runs that a page shows while the user has selected none. Used to prepare the data of such a page.

The pages apply the same rule (`standardSet` in `frontend/src/data/runs/runs.ts`), as runs come and go.
"""

from __future__ import annotations

from django.db.models import F

from mindinsight.runs.order import on_shelf
from mindinsight.runs.queries import Wanted, matching

VISIBLE_AT_FIRST = 20


def standard_runs() -> list[int]:
    """Returns the numbers of the newest runs that are not archived, newest first."""
    wanted = Wanted(condition=on_shelf("active"), order=(F("first_wall").desc(nulls_first=True), "-pk"))
    return list(matching(wanted=wanted).values_list("pk", flat=True)[:VISIBLE_AT_FIRST])
