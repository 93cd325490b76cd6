"""Restarts of runs: the rule over files, and the follower's result for real files."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mindinsight.environment import Environment
from mindinsight.ingest.follower import Follower
from mindinsight.ingest.storing.segments import FileFacts, number_segments
from mindinsight.runs import queries
from mindinsight.runs.models import EventFile, Series
from mindinsight.store import ColumnStore, Table
from summaries import SummaryWriter
from tests.mindinsight.ingest.conftest import read_all

MakeFollower = Callable[[], Follower]


def facts(first_wall: float, last_wall: float, *stretches: dict[str, tuple[int, int]]) -> FileFacts:
    return FileFacts(first_wall, last_wall, stretches)


@pytest.mark.parametrize(
    ("files", "numbers"),
    [
        pytest.param([facts(0, 9, {"a": (0, 100)})], [0], id="one file"),
        pytest.param([facts(0, 9, {"a": (0, 100)}), facts(10, 19, {"a": (101, 200)})], [0, 0], id="goes on"),
        pytest.param([facts(0, 9, {"a": (0, 100)}), facts(10, 19, {"a": (51, 200)})], [0, 1], id="repeats"),
        pytest.param([facts(0, 9, {"a": (0, 100)}), facts(10, 19, {"a": (100, 200)})], [0, 1], id="repeats the last"),
        pytest.param([facts(0, 9, {"a": (0, 100)}), facts(5, 19, {"a": (0, 200)})], [0, 0], id="at the same time"),
        pytest.param([facts(0, 9, {"a": (0, 100)}), facts(10, 19, {"hp/b": (0, 0)})], [0, 0], id="a new tag"),
        pytest.param(
            [facts(0, 9, {"a": (0, 100)}, {"a": (50, 80)}), facts(10, 19, {"a": (81, 90)})], [0, 1], id="inside a file"
        ),
        pytest.param(
            [facts(0, 9, {"a": (0, 99)}), facts(10, 19, {"a": (0, 50)}), facts(20, 29, {"a": (51, 99)})],
            [0, 1, 1],
            id="the second goes on",
        ),
    ],
)
def test_the_rule(files: list[FileFacts], numbers: list[int]) -> None:
    assert number_segments(files) == numbers


def write(directory: Path, steps: list[int], tags: tuple[str, ...] = ("loss",)) -> None:
    with SummaryWriter(directory) as writer:
        for step in steps:
            for tag in tags:
                writer.add_scalar(tag, float(step), step)


def series(run: str, tag: str = "loss") -> list[tuple[int, int | None, int | None, int]]:
    rows = Series.objects.filter(run__name=run, tag=tag).order_by("segment", "first_step")
    return [(row.segment, row.first_step, row.last_step, row.count) for row in rows]


def test_a_restarted_training_is_a_new_segment_and_the_old_one_is_kept(
    environment: Environment, make_follower: MakeFollower
) -> None:
    run = environment.base_directory / "run"
    write(run, list(range(101)))
    wait_for_the_next_second()
    write(run, list(range(51, 151)))
    read_all(make_follower())
    assert series("run") == [(0, 0, 100, 101), (1, 51, 150, 100)]
    (row,) = queries.rows()
    assert [(s["number"], s["first_step"], s["last_step"]) for s in row["segments"]] == [(0, 0, 100), (1, 51, 150)]
    assert row["last_step"] == 150
    assert row["tags"] == 1
    assert row["points"] == 201
    newest = Series.objects.get(segment=1)
    assert row["lead_tag"] == {"series": newest.pk, "name": "loss", "last_value": 150.0}


def test_a_training_that_goes_on_in_a_second_file_is_one_segment(
    environment: Environment, make_follower: MakeFollower
) -> None:
    run = environment.base_directory / "run"
    write(run, list(range(10)))
    wait_for_the_next_second()
    write(run, list(range(10, 20)))
    read_all(make_follower())
    assert series("run") == [(0, 0, 9, 10), (0, 10, 19, 10)]
    assert len(queries.rows()[0]["segments"]) == 1


@pytest.mark.parametrize("turns", [1, 3])
def test_steps_that_fall_within_a_file_begin_a_segment_for_all_tags(
    environment: Environment, make_follower: MakeFollower, turns: int
) -> None:
    run = environment.base_directory / "run"
    follower = make_follower()
    with SummaryWriter(run) as writer:
        for part in ([*range(10)], [*range(5, 8)], [8, 9, 2, 3]):
            for step in part:
                writer.add_scalar("loss", float(step), step)
                writer.add_scalar("accuracy", float(step), step)
            if turns > 1:
                writer.flush()
                read_all(follower)
    read_all(follower)
    expected = [(0, 0, 9, 10), (1, 5, 9, 5), (2, 2, 3, 2)]
    assert series("run") == expected
    assert series("run", "accuracy") == expected
    store = ColumnStore(environment.data_directory / "columns")
    for row in Series.objects.filter(segment=1):
        assert store.read(Table.POINTS, row.run_id, row.pk)["step"].tolist() == [5, 6, 7, 8, 9]


def test_equal_steps_begin_no_segment(environment: Environment, make_follower: MakeFollower) -> None:
    write(environment.base_directory / "run", [0, 0, 1, 1, 1, 2])
    read_all(make_follower())
    assert series("run") == [(0, 0, 2, 6)]


def test_a_file_that_falls_all_the_time_keeps_its_points_in_a_bounded_number_of_segments(
    environment: Environment, make_follower: MakeFollower
) -> None:
    write(environment.base_directory / "run", [step % 3 for step in range(900)])
    read_all(make_follower())
    rows = Series.objects.all()
    assert rows.count() == 100
    assert sum(row.count for row in rows) == 900
    assert [row.segment for row in rows if not row.ordered] == [99]


def test_a_replaced_file_takes_only_its_own_points_with_it(
    environment: Environment, make_follower: MakeFollower
) -> None:
    run = environment.base_directory / "run"
    write(run, list(range(10)))
    wait_for_the_next_second()
    write(run, list(range(10, 20)))
    follower = make_follower()
    read_all(follower)
    kept = Series.objects.get(first_step=0).pk
    second = environment.base_directory / EventFile.objects.order_by("opened").last().path  # type: ignore[union-attr]
    write(environment.base_directory / "draft", [10, 11])
    next((environment.base_directory / "draft").iterdir()).replace(second)
    (environment.base_directory / "draft").rmdir()
    read_all(follower)
    read_all(follower)
    assert series("run") == [(0, 0, 9, 10), (0, 10, 11, 2)]
    assert Series.objects.get(first_step=0).pk == kept


def wait_for_the_next_second() -> None:
    """Names of event files order them by whole seconds."""
    now = int(time.time())
    while int(time.time()) == now:
        pass
