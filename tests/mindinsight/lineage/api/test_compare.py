"""Runs side by side, through the API."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from mindinsight.environment import Environment
from mindinsight.runs.models import Run
from tests.mindinsight.published import answer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("environment")]
PATH = "/api/lineage/compare"


def compared(client: Client, *runs: int) -> dict[str, list[tuple[str, list[Any], bool]]]:
    body = answer(client, f"{PATH}?runs={','.join(map(str, runs))}")
    for section in body["sections"]:
        for row in section["rows"]:
            assert row["set"] == [value is not None for value in row["values"]]
    return {
        section["name"]: [(row["name"], row["values"], row["same"]) for row in section["rows"]]
        for section in body["sections"]
    }


def test_what_differs_comes_first(client: Client) -> None:
    a = Run.objects.create(name="a", params={"z": 1, "same": ["x"], "b": True, "lr": 0.1}, metrics={"acc": "NaN"})
    b = Run.objects.create(name="b", params={"z": 2, "same": ["x"], "b": 1, "only": "here"}, metrics={"acc": "NaN"})
    found = compared(client, b.pk, a.pk)
    assert found["params"] == [
        ("b", [1, True], False),
        ("lr", [None, 0.1], False),
        ("only", ["here", None], False),
        ("z", [2, 1], False),
        ("same", [["x"], ["x"]], True),
    ]
    assert found["metrics"] == [("acc", ["NaN", "NaN"], True)]


def test_runs_that_are_gone_are_left_out(client: Client) -> None:
    run = Run.objects.create(name="a", params={"lr": 1})
    body = answer(client, f"{PATH}?runs=9999,{run.pk}")
    assert body["runs"] == [run.pk]
    assert compared(client, 9999, run.pk)["params"] == [("lr", [1], True)]


@pytest.mark.parametrize("runs", ["", "x", ",".join(map(str, range(101)))])
def test_wrong_questions(client: Client, environment: Environment, runs: str) -> None:
    assert answer(client, f"{PATH}?runs={runs}", 400)["code"] == "bad_parameter"
