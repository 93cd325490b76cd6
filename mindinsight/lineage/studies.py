"""Starts studies of what mattered, and finds existing ones. Called by the views of `api/importance.py`."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings

from mindinsight.api.problems import Problem
from mindinsight.lineage.columns import CategoryColumn, Column, NumberColumn
from mindinsight.lineage.importance.orders import Categories, Floats, Numbers, Order
from mindinsight.lineage.models import LIBRARIES_MISSING, Study
from mindinsight.lineage.table import LineageTable

VERSION = 1
"""Version of the method. Results of other versions are not shown."""
GIVEN_UP = {Study.State.WAITING: 600.0, Study.State.RUNNING: 60.0}
"""Seconds without progress after which a study is started again, because its worker was killed. A running study reports
progress every second or two; a waiting one may have others before it.
"""
REST = 10.0
"""Minimum seconds between two studies of one question. The runs of a sweep may arrive faster than anyone reads, and a
missing library may be installed meanwhile.
"""
_KEPT = 200


@dataclass(frozen=True)
class Answer:
    """The current state of a study.

    Attributes:
        study: the study of exactly these values; None while it has to wait.
        before: the newest finished study of the same question about older values.
    """

    study: Study | None
    before: Study | None


def directory() -> Path:
    """Returns the directory of pending inputs."""
    return Path(settings.ENVIRONMENT.data_directory) / "lineage"


def order_of(kind: str, table: LineageTable, target: str, run: int | None = None) -> Order:
    """Returns the input of a study.

    Args:
        kind: `importance` or `gap`.
        table: runs and their columns.
        target: name of a column.
        run: number of the run whose gap is explained.

    Raises:
        Problem: no run has the target, or the run is missing or has no finite value of it.
    """
    column = table.by_name.get(target)
    if column is None:
        message = f"None of these runs has {target}. Targets are written as in the table: metrics.NAME, last(TAG)."
        raise Problem("unknown_target", message, 404, target=target)
    values = _target(column)
    place = None
    if run is not None:
        places = np.flatnonzero(table.runs == run)
        if not len(places):
            raise Problem("run_not_found", f"The run {run} is not among the selected runs.", 404, id=str(run))
        place = int(places[0])
        if not np.isfinite(values[place]):
            raise Problem("no_target", f"The run {run} has no finite value of {target}.", 409, id=str(run))
    parameters = [_parameter(found) for found in table.columns if found.group == "params"]
    return Order(kind, values, parameters, table.runs, place, column.better or "max")


def _target(column: Column) -> Floats:
    """NaN if a run has no value, infinity if it has no number that can be explained."""
    if isinstance(column, NumberColumn):
        values = np.where(np.isnan(column.values), np.inf, column.values)
        return values if column.missing is None else np.where(column.missing, np.nan, values)
    numbers = [
        float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else np.inf
        for value in column.values
    ]
    values = np.array([np.nan, *numbers])
    return np.where(np.isnan(values[column.codes]) & (column.codes > 0), np.inf, values[column.codes])


def _parameter(column: Column) -> Numbers | Categories:
    name = column.name.removeprefix("params.")
    if isinstance(column, CategoryColumn):
        return Categories(name, column.codes.astype(np.int32) - 1, column.values)
    return Numbers(name, column.values)


def answer_of(kind: str, question: Sequence[object], version: str, order: Callable[[], Order]) -> Answer:
    """Returns the study of an input. Starts it if necessary.

    Args:
        kind: `importance` or `gap`.
        question: the question, independent of the runs.
        version: a text that changes whenever the table of runs changes. While it is the same, `order` is not called
        again. order: makes the input.

    Raises:
        Problem: the task cannot be queued, because the broker is away.
    """
    hashed = hashlib.sha256(repr((VERSION, kind, *question)).encode()).hexdigest()
    wanted = _Wanted(order)
    key = _KEYS.get((hashed, version))
    if key is None:
        key = hashlib.sha256(f"{hashed} {wanted.order.digest()}".encode()).hexdigest()
        _remember((hashed, version), key)
    now = time.time()
    before = Study.objects.filter(question=hashed, state=Study.State.DONE).exclude(key=key).order_by("-asked").first()
    study = Study.objects.filter(key=key).first()
    if study is None:
        if before is not None and now - before.changed < REST:
            return Answer(None, before)
        study, made = Study.objects.get_or_create(
            key=key, defaults={"question": hashed, "kind": kind, "asked": now, "changed": now}
        )
        if made:
            _ask(study, wanted.order)
    elif now - study.changed > _patience(study):
        _ask(study, wanted.order)
    return Answer(study, before)


def _patience(study: Study) -> float:
    """Seconds after its last change when a study is started again."""
    if study.problem and study.problem["code"] == LIBRARIES_MISSING:
        return REST
    return GIVEN_UP.get(Study.State(study.state), np.inf)


class _Wanted:
    """An input that is made once, when it is needed."""

    def __init__(self, make: Callable[[], Order]) -> None:
        self._make = make

    @cached_property
    def order(self) -> Order:
        """The input."""
        return self._make()


_MOST_KEYS = 64
_KEYS: dict[tuple[str, str], str] = {}
"""Keys of studies by question and version of the table, for pages that poll."""


def _remember(asked: tuple[str, str], key: str) -> None:
    _KEYS[asked] = key
    while len(_KEYS) > _MOST_KEYS:
        # Several threads may do so at once.
        _KEYS.pop(next(iter(_KEYS)), None)


def _ask(study: Study, order: Order) -> None:
    from mindinsight.api.task_queue import order_or_refuse

    study.state, study.progress, study.problem = Study.State.WAITING, 0.0, None
    study.changed = time.time()
    study.save()
    order.write(directory() / f"{study.key}.npz")
    refusal = "Parameter importance cannot be computed now: the broker (Redis) does not answer. Try again in a moment."
    order_or_refuse("lineage.importance", study.pk, undo=study.delete, refusal=refusal)
    _forget_old()


def _forget_old() -> None:
    old: list[Any] = list(Study.objects.order_by("-asked").values_list("pk", "key")[_KEPT:])
    for _, key in old:
        (directory() / f"{key}.npz").unlink(missing_ok=True)
    Study.objects.filter(pk__in=[number for number, _ in old]).delete()
