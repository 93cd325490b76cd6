"""The recorded parameters and metrics of all runs, kept in memory as columns. Only changes are read again.

Used by `table.py`. A table of ten thousand runs and forty names is read in a fifth of a second and takes ten megabytes.
Each process has one.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import orjson
from django.db.models import F, TextField
from django.db.models.functions import Cast

from mindinsight.lineage.cells import Cells, read_cells
from mindinsight.runs.models import Run

Source = Literal["params", "metrics"]
SOURCES: tuple[Source, ...] = ("params", "metrics")
MAX_NAMES = 5000
"""Maximum number of names of parameters, and of metrics. The first ones are kept."""
# Databases limit the number of parameters.
_AT_ONCE = 500
# If more than this share of the runs has changed, all are read.
_FEW = 10


@dataclass(frozen=True)
class Notes:
    """The recorded values of runs. Instances never change, so callers may keep them.

    Attributes:
        cells: the values by name.
        result_tags: tags of results by run, for runs that have some.
    """

    cells: Mapping[Source, Mapping[str, Cells]] = field(default_factory=lambda: {source: {} for source in SOURCES})
    result_tags: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


class NotesMemory:
    """The recorded values of the most recently requested runs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stamps: dict[int, int] = {}
        self._notes = Notes()

    def of(self, stamps: Mapping[int, int]) -> Notes:
        """Returns values that include at least the current state of these runs.

        Args:
            stamps: `Run.noted` by the runs' numbers.
        """
        with self._lock:
            changed = [run for run, stamp in stamps.items() if self._stamps.get(run) != stamp]
            if changed:
                self._read(changed, len(stamps))
            return self._notes

    def _read(self, changed: Collection[int], asked: int) -> None:
        rows = list(_rows(changed, whole=len(changed) * _FEW > asked and len(changed) > _AT_ONCE))
        stamps = {row["pk"]: row["noted"] for row in rows}
        gone = self._stamps.keys() - set(Run.objects.filter(removed=Run.Removed.NO).values_list("pk", flat=True))
        old = np.array([*changed, *stamps, *gone], np.int64)
        cells = {source: _joined(self._notes.cells[source], old, rows, f"{source}_text") for source in SOURCES}
        tags = {run: tags for run, tags in self._notes.result_tags.items() if run not in stamps and run not in gone}
        for row in rows:
            if row["result_tags_text"] != "[]":
                tags[row["pk"]] = tuple(orjson.loads(row["result_tags_text"]))
        self._notes = Notes(cells, tags)
        self._stamps = {run: stamp for run, stamp in self._stamps.items() if run not in gone} | stamps


def _rows(changed: Collection[int], whole: bool) -> Iterator[dict[str, Any]]:
    texts = {f"{name}_text": Cast(F(name), TextField()) for name in (*SOURCES, "result_tags")}
    runs = Run.objects.filter(removed=Run.Removed.NO).order_by().annotate(**texts).values("pk", "noted", *texts)
    if whole:
        yield from runs
        return
    chosen = list(changed)
    for start in range(0, len(chosen), _AT_ONCE):
        yield from runs.filter(pk__in=chosen[start : start + _AT_ONCE])


def _joined(known: Mapping[str, Cells], old: Any, rows: list[dict[str, Any]], column: str) -> Mapping[str, Cells]:
    new = read_cells(((row["pk"], row[column]) for row in rows), known, max(0, MAX_NAMES - len(known)))
    joined: dict[str, Cells] = {}
    for name in dict.fromkeys([*known, *new]):
        kept = known[name].without(old) if name in known else None
        parts = [cells for cells in (kept, new.get(name)) if cells is not None and len(cells.runs)]
        if parts:
            joined[name] = parts[0].joined(parts[1]) if len(parts) == 2 else parts[0]
    return joined


MEMORY = NotesMemory()
"""The values in the memory of this process."""
