"""What runs note about themselves, through the API."""

from __future__ import annotations

import math
from itertools import count
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from mindinsight.environment import Environment
from mindinsight.runs.models import EventFile, Run, Series
from tests.mindinsight.published import answer

pytestmark = pytest.mark.django_db
PATH = "/api/runs/details"
numbers = count(1)


def make_run(name: str, opened: float = 1.0, **noted: Any) -> Run:
    run = Run.objects.create(name=name, opened=opened, **noted)
    EventFile.objects.create(run=run, path=f"{name}/events")
    return run


def add(run: Run, tag: str, value: float = 0.0, **facts: Any) -> Series:
    """Adds a series; as the database has them, NaN is null."""
    defaults: dict[str, Any] = {"kind": "scalar", "count": 1, "last_step": 1, "last_wall": 1.0}
    stored = None if math.isnan(value) else value
    number = next(numbers)
    file = run.event_files.get()
    return Series.objects.create(
        id=number, run=run, file=file, tag=tag, stretch=number, last_value=stored, **{**defaults, **facts}
    )


def details(client: Client, query: str = "") -> list[Any]:
    return list(answer(client, PATH + query)["runs"])


def test_everything_of_a_run(client: Client, environment: Environment) -> None:
    segment = {"number": 0, "first_step": 1, "last_step": 9, "first_wall": 1.5}
    run = make_run("lenet", params={"lr": 0.1, "layers": [1, 2]}, metrics={"Accuracy": 0.9}, segments=[segment])
    add(run, "loss", 0.25)
    add(run, "acc", 0.5)
    add(run, "w", kind="histogram")
    (row,) = details(client)
    assert row == {
        "number": run.pk,
        "id": run.uid.hex,
        "name": "lenet",
        "state": "running",
        "segments": [segment],
        "params": {"lr": 0.1, "layers": [1, 2]},
        "metrics": {"Accuracy": 0.9, "acc": 0.5, "loss": 0.25},
        "tags": {"scalar": ["acc", "loss"], "histogram": ["w"]},
    }


def test_what_a_run_notes_comes_before_its_last_values(client: Client, environment: Environment) -> None:
    add(make_run("a", metrics={"loss": 0.125}), "loss", 0.5)
    assert details(client)[0]["metrics"] == {"loss": 0.125}


def test_the_newest_segment_s_last_step_counts(client: Client, environment: Environment) -> None:
    run = make_run("a")
    add(run, "loss", 1.0, segment=0, last_step=900)
    add(run, "loss", 3.0, segment=1, last_step=200)
    add(run, "loss", 2.0, segment=1, last_step=100)
    (row,) = details(client)
    assert row["metrics"] == {"loss": 3.0}
    assert row["tags"] == {"scalar": ["loss"]}


def test_of_two_files_at_one_step_the_later_counts(client: Client, environment: Environment) -> None:
    run = make_run("a")
    add(run, "loss", 2.0, last_wall=20.0)
    add(run, "loss", 1.0, last_wall=10.0)
    assert details(client)[0]["metrics"] == {"loss": 2.0}


def test_a_series_without_points_does_not_count(client: Client, environment: Environment) -> None:
    add(make_run("a"), "loss", count=0, last_step=None)
    (row,) = details(client)
    assert (row["metrics"], row["tags"]) == ({}, {})


def test_what_is_no_number_travels_as_a_word(client: Client, environment: Environment) -> None:
    run = make_run("a", metrics={"noted": "Infinity"}, params={"name": "NaN", "list": ["NaN", 1]})
    add(run, "loss", math.nan)
    add(run, "norm", -math.inf)
    (row,) = details(client)
    assert row["metrics"] == {"loss": "NaN", "noted": "Infinity", "norm": "-Infinity"}
    assert row["params"] == {"name": "NaN", "list": ["NaN", 1]}


def test_runs_are_chosen_and_in_order(client: Client, environment: Environment) -> None:
    old, new = make_run("old", 1.0), make_run("new", 2.0)
    make_run("gone", 3.0, removed=Run.Removed.STORE)
    assert [row["name"] for row in details(client)] == ["new", "old"]
    assert [row["name"] for row in details(client, f"?runs={old.pk},9999")] == ["old"]
    assert [row["name"] for row in details(client, f"?runs={old.pk},{new.pk}")] == ["new", "old"]
    assert len(details(client, "?runs=")) == 0


@pytest.mark.parametrize("query", ["?runs=x", "?runs=-1", "?runs=1;2"])
def test_wrong_questions(client: Client, environment: Environment, query: str) -> None:
    assert answer(client, PATH + query, 400)["code"] == "bad_parameter"


def test_two_questions_to_the_database_for_many_runs(
    client: Client, environment: Environment, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for index in range(20):
        run = make_run(f"run{index}")
        for tag in ("loss", "acc"):
            add(run, tag, float(index))
    with django_assert_num_queries(2):
        rows = client.get(PATH).json()["runs"]
    assert len(rows) == 20
    assert {row["metrics"]["loss"] for row in rows} == set(map(float, range(20)))
