"""Reads and changes the marks of runs. Called by `queries.py` and `api/marks.py`."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypedDict

from django.db import transaction
from django.db.models import F
from django.dispatch import Signal

from mindinsight.runs.models import Run, RunMarks

rows_changed = Signal()
"""A signal: rows of runs have changed. Sent with `runs`, a set of their numbers, after the database has the change.

`mindinsight.live.hub` listens, so that open pages get the changes.
"""

MAX_TAGS = 50
# With more runs, all marks are read: databases limit the number of parameters.
_MANY = 500


class MarksRow(TypedDict):
    """The marks of one run."""

    version: int
    tags: list[str]
    colour: int | None
    note: str
    pinned: bool
    archived: bool
    icon: int
    hidden: bool
    baseline: bool
    display_name: str
    changed: float


class StaleMarks(Exception):  # noqa: N818  (what it is, not an error of the program)
    """The marks have changed since they were read.

    Attributes:
        now: the current marks by the runs' ids.
    """

    def __init__(self, now: dict[str, MarksRow]) -> None:
        super().__init__(", ".join(now))
        self.now = now


class TooManyTags(Exception):  # noqa: N818
    """A run would have more than `MAX_TAGS` tags. The message is the run's name."""


def marks_of(names: Collection[str]) -> dict[str, MarksRow]:
    """Returns the marks of runs by name. Runs without marks are left out."""
    marks = RunMarks.objects.all() if len(names) > _MANY else RunMarks.objects.filter(run__in=names)
    return {found.run: marks_row(found) for found in marks}


def marks_row(marks: RunMarks) -> MarksRow:
    """Returns marks in the form of answers."""
    return {
        "version": marks.version,
        "tags": marks.tags,
        "colour": marks.colour,
        "note": marks.note,
        "pinned": marks.pinned,
        "archived": marks.archived,
        "icon": marks.icon,
        "hidden": marks.hidden,
        "baseline": marks.baseline,
        "display_name": marks.display_name,
        "changed": marks.changed,
    }


def change(run: Run, changes: Mapping[str, Any], version: int | None) -> MarksRow:
    """Changes the marks of a run.

    Args:
        run: the run.
        changes: new values by the names of `MarksRow`.
        version: the version on which the changes are based, 0 for no marks; None for any.

    Raises:
        StaleMarks: the marks have another version.
    """
    with transaction.atomic():
        (marks,) = _locked([run.name])
        _demand({} if version is None else {run.uid.hex: version}, {run.name: run.uid.hex}, [marks])
        others = _clear_baseline(run.name) if changes.get("baseline") else []
        _apply(marks, changes)
    _announce([run.name, *others])
    return marks_row(marks)


def change_many(
    runs: Sequence[Run],
    changes: Mapping[str, Any],
    add_tags: Iterable[str],
    remove_tags: Collection[str],
    versions: Mapping[str, int],
) -> dict[str, MarksRow]:
    """Changes the marks of several runs, all or none.

    Args:
        runs: the runs.
        changes: new values for all of them.
        add_tags: tags to add to runs that do not have them.
        remove_tags: tags to remove from all of them.
        versions: by the runs' ids, the version that the changes are based on; any version by default.

    Returns:
        The new marks by the runs' ids.

    Raises:
        StaleMarks: some marks have another version.
        TooManyTags: a run would have too many tags.
    """
    names = [run.name for run in runs]
    with transaction.atomic():
        marks = _locked(names)
        _demand(versions, {run.name: run.uid.hex for run in runs}, marks)
        for one in marks:
            kept = [tag for tag in dict.fromkeys([*one.tags, *add_tags]) if tag not in remove_tags]
            if len(kept) > max(MAX_TAGS, len(one.tags)):
                raise TooManyTags(one.run)
            _set(one, {**changes, "tags": kept})
        RunMarks.objects.bulk_update(marks, [*changes, "tags", "version", "changed"], batch_size=200)
    _announce(names)
    rows = {one.run: marks_row(one) for one in marks}
    return {run.uid.hex: rows[run.name] for run in runs}


def _locked(names: Sequence[str]) -> list[RunMarks]:
    """Returns the locked rows of runs' marks. Creates missing ones."""
    RunMarks.objects.bulk_create([RunMarks(run=name) for name in names], ignore_conflicts=True, batch_size=200)
    found: list[RunMarks] = []
    for start in range(0, len(names), _MANY):
        chosen = RunMarks.objects.filter(run__in=names[start : start + _MANY])
        found += chosen.order_by("run").select_for_update()
    return found


def _demand(versions: Mapping[str, int], uids: Mapping[str, str], marks: Sequence[RunMarks]) -> None:
    """Raises StaleMarks with all marks that have another version than the caller's."""
    ids = [(uids[one.run], one) for one in marks]
    stale = {uid: marks_row(one) for uid, one in ids if versions.get(uid, one.version) != one.version}
    if stale:
        raise StaleMarks(stale)


def _clear_baseline(but: str) -> list[str]:
    """Removes the baseline mark from all other runs. Returns the names of those that had it."""
    others = RunMarks.objects.filter(baseline=True).exclude(run=but).select_for_update()
    names = list(others.values_list("run", flat=True))
    RunMarks.objects.filter(run__in=names).update(baseline=False, version=F("version") + 1, changed=time.time())
    return names


def _apply(marks: RunMarks, changes: Mapping[str, Any]) -> None:
    _set(marks, changes)
    marks.save()


def _set(marks: RunMarks, changes: Mapping[str, Any]) -> None:
    for name, value in changes.items():
        setattr(marks, name, value)
    marks.version += 1
    marks.changed = time.time()


def _announce(names: Sequence[str]) -> None:
    numbers: set[int] = set()
    for start in range(0, len(names), _MANY):
        chosen = Run.objects.filter(name__in=names[start : start + _MANY])
        numbers.update(chosen.values_list("pk", flat=True))
    rows_changed.send(Run, runs=numbers)
