"""Thousands of run directories that appear and vanish at once: soon known, and no training beside them waits."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mindinsight.environment import Environment
from mindinsight.ingest import survey, tasks
from mindinsight.ingest.follower import Follower
from mindinsight.ingest.scheduling import LongWork
from mindinsight.runs.models import EventFile, Run, Series
from mindinsight.store import ColumnStore
from tests.dashboard import Dashboard, wait_until
from tests.mindinsight.ingest.conftest import read_all
from tests.mindinsight.ingest.many_directories import LatePoints, Ticking, write_directories

LONG = os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long"
DIRECTORIES = 10_000 if LONG else 1500
# Points are late by some tenths of a second on a machine with nothing else to do.
LATE_S = 2.0
SOON_S = 10.0
HOUR_S = 3600.0


def count(dashboard: Dashboard) -> int:
    return int(dashboard.get_json("/api/runs?limit=1")["count"])


def wait_for_rows(dashboard: Dashboard, page: LatePoints, expected: int, timeout: float) -> None:
    """Waits until the API and an open page have this many runs."""
    wait_until(lambda: count(dashboard) == expected and len(page.rows) == expected, timeout, f"{expected} runs")


def all_read(dashboard: Dashboard) -> bool:
    rows = dashboard.get_json("/api/runs?limit=10000")["results"]
    return all(row["points"] and row["bytes_read"] == row["bytes"] for row in rows if row["name"] != "live")


@pytest.mark.processes
def test_a_training_is_shown_while_thousands_of_others_appear_and_vanish(tmp_path: Path) -> None:
    base, aside = tmp_path / "summaries", tmp_path / "aside"
    base.mkdir()
    write_directories(aside, DIRECTORIES, age_s=HOUR_S)
    with Dashboard.start(base) as dashboard, Ticking(base / "live"), LatePoints(dashboard, "live") as page:
        wait_until(lambda: len(page.seen) > 10, 20, "live points")
        for remove in (
            lambda: (base / "many").rename(aside),
            lambda: subprocess.run(["rm", "-rf", base / "many"], check=True),
        ):
            began = time.time()
            aside.rename(base / "many")
            wait_for_rows(dashboard, page, DIRECTORIES + 1, 60)
            wait_until(lambda: all_read(dashboard), 60, "all runs are read")
            assert page.worst(began) < LATE_S

            began = time.time()
            remove()
            wait_for_rows(dashboard, page, 1, SOON_S)
            assert page.worst(began) < LATE_S


def test_a_piece_of_long_work_ends_in_time_and_the_next_goes_on() -> None:
    done: list[int] = []

    def pieces() -> object:
        for number in range(5):
            done.append(number)
            yield

    work = LongWork(pieces)  # type: ignore[arg-type]
    work.go_on(0.0)
    assert (done, work.under_way) == ([0], True)
    work.go_on(0.0)
    assert (done, work.under_way) == ([0, 1], True)
    work.finish()
    assert (done, work.under_way) == ([0, 1, 2, 3, 4], False)
    work.go_on(0.0)
    assert (done[5:], work.under_way) == ([0], True)


def test_long_work_that_fails_begins_anew() -> None:
    def pieces() -> object:
        yield
        raise ValueError

    work = LongWork(pieces)  # type: ignore[arg-type]
    work.go_on(0.0)
    with pytest.raises(ValueError):
        work.finish()
    assert not work.under_way


def test_runs_are_taken_and_forgotten_in_several_transactions(
    environment: Environment, make_follower: Callable[[], Follower], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey, "RUNS_AT_ONCE", 3)
    write_directories(environment.base_directory / "many", 10, age_s=HOUR_S)
    follower = make_follower()
    read_all(follower)
    assert Run.objects.filter(point_count=10).count() == 10
    (environment.base_directory / "many").rename(environment.base_directory.parent / "aside")
    for _ in range(2):
        follower.look_again()
        follower.turn()
    assert (Run.objects.count(), EventFile.objects.count(), Series.objects.count()) == (0, 0, 0)
    store = ColumnStore(environment.data_directory / "columns")
    assert [found for found in store.short_series() if found] == []
    (environment.base_directory.parent / "aside").rename(environment.base_directory / "many")
    read_all(follower)
    assert Run.objects.filter(point_count=10).count() == 10


def test_a_run_that_comes_back_between_two_looks_is_kept(
    environment: Environment, make_follower: Callable[[], Follower]
) -> None:
    many, aside = environment.base_directory / "many", environment.base_directory.parent / "aside"
    write_directories(many, 3)
    follower = make_follower()
    read_all(follower)
    before = set(Run.objects.values_list("pk", flat=True))
    many.rename(aside)
    follower.look_again()
    follower.turn()
    aside.rename(many)
    for _ in range(2):
        follower.look_again()
        follower.turn()
    assert set(Run.objects.values_list("pk", flat=True)) == before


def test_what_is_left_of_runs_without_rows_is_swept_away(
    environment: Environment, make_follower: Callable[[], Follower]
) -> None:
    write_directories(environment.base_directory / "many", 3)
    read_all(make_follower())
    store = ColumnStore(environment.data_directory / "columns")
    first, *others = sorted(store.runs())
    assert len(others) == 2
    Run.objects.filter(pk=first).delete()  # as by a reader that was killed before it removed the columns
    tasks.sweep(below=1)
    assert sorted(store.runs()) == others
