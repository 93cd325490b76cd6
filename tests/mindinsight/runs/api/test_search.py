"""Queries, orders, columns and completion through the API."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from mindinsight.environment import Environment
from mindinsight.runs.models import EventFile, Run, RunMarks, Series
from tests.mindinsight.published import answer
from tests.mindinsight.runs.search.runs import Made

pytestmark = pytest.mark.django_db
MANY = 10_000


@pytest.fixture
def runs(environment: Environment) -> None:
    Made("a", params={"lr": 0.1, "lr decay": 2}, scalars={"loss": [(0.5, 0.25, 3.0)]}).store()
    Made("b", params={"lr": float("inf")}, metrics={"acc": 0.5}, marks={"tags": ["seed", "old one"]}).store()
    Made("c", params={"lr": "auto", "acc": 1}, marks={"tags": ["seed"], "pinned": True}).store()


def names(client: Client, **asked: str) -> list[str]:
    query = "&".join(f"{name}={quote(value)}" for name, value in asked.items())
    body = answer(client, f"/api/runs?{query}")
    assert body["count"] == len(body["results"])
    return [row["name"] for row in body["results"]]


def test_query_and_order(client: Client, runs: None) -> None:
    assert names(client, query="tag:seed", sort="-name") == ["c", "b"]
    assert names(client, query="tag ~ 'old*'") == ["b"]
    assert names(client, query="lr > 0 or lr = auto", search="C") == ["c"]
    assert names(client, sort="-lr") == ["b", "a", "c"]


def test_columns(client: Client, runs: None) -> None:
    path = "/api/runs?sort=name&columns=" + quote("lr,min(loss),loss,name,pinned")
    assert [row["columns"] for row in answer(client, path)["results"]] == [
        {"lr": 0.1, "min(loss)": 0.25, "loss": 0.5, "name": "a", "pinned": False},
        {"lr": "Infinity", "min(loss)": None, "loss": None, "name": "b", "pinned": False},
        {"lr": "auto", "min(loss)": None, "loss": None, "name": "c", "pinned": True},
    ]


@pytest.mark.parametrize("path", ["/api/runs", "/api/runs/details"])
def test_a_query_that_cannot_be_understood(client: Client, environment: Environment, path: str) -> None:
    body = answer(client, f"{path}?query={quote('lr < 1 and acc >')}", 400)
    assert body["code"] == "bad_query"
    assert body["detail"] == {
        "parameter": "query",
        "position": 16,
        "length": 0,
        "expected": "a number or a text",
        "expected_code": "value",
        "expected_values": {},
    }
    assert "At character 17" in body["message"]


def test_details_of_what_a_query_finds(client: Client, runs: None) -> None:
    (row,) = answer(client, f"/api/runs/details?query={quote('min(loss) < 1')}")["runs"]
    assert (row["name"], row["metrics"]) == ("a", {"loss": 0.5})


def test_names(client: Client, runs: None) -> None:
    def found(prefix: str) -> list[tuple[Any, ...]]:
        rows = answer(client, f"/api/runs/search/names?prefix={prefix}")["names"]
        return [(row["kind"], row["written"], row["runs"]) for row in rows]

    assert found("lr") == [("param", "lr", 3), ("param", '"lr decay"', 1)]
    assert found("ACC") == [("param", "param:acc", 1), ("metric", "metric:acc", 1)]
    assert found("lo") == [("metric", "loss", 1), ("field", "colour", None)]
    assert found("ol") == [("tag", 'tag:"old one"', 1), ("field", "colour", None)]
    assert ("tag", "tag:seed", 2) in found("se")
    assert len(answer(client, "/api/runs/search/names?limit=3")["names"]) == 3


@given(query=st.text(max_size=30) | st.text("lr<>=~:(),'\\\" andorti01e.-", max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_text_is_a_defect(client: Client, runs: None, query: str) -> None:
    asked = {"query": query, "sort": query, "columns": query, "search": query}
    for name, text in asked.items():
        response = client.get("/api/runs", {name: text})
        assert response.status_code in (200, 400), (name, text)


def test_ten_thousand_runs_take_as_many_questions_as_one(
    client: Client, environment: Environment, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    Run.objects.bulk_create([Run(name=f"r{number}", params={"lr": number}) for number in range(MANY)])
    runs = list(Run.objects.all())
    EventFile.objects.bulk_create([EventFile(run=run, path=f"{run.name}/f") for run in runs])
    files = dict(EventFile.objects.values_list("run_id", "pk"))
    common: dict[str, Any] = {"tag": "loss", "kind": "scalar", "count": 1}
    Series.objects.bulk_create([Series(id=r.pk, run=r, file_id=files[r.pk], last_value=r.pk, **common) for r in runs])
    RunMarks.objects.bulk_create([RunMarks(run=run.name, tags=["seed"]) for run in runs])
    query = f"query={quote('lr >= 10 and tag:seed and last(loss) > 0')}&sort={quote('-last(loss)')}&columns=lr,loss"
    with django_assert_max_num_queries(8):
        body = client.get(f"/api/runs?limit={MANY}&{query}").json()
    assert body["count"] == len(body["results"]) == MANY - 10
    assert body["results"][0]["columns"]["lr"] == MANY - 1
    with django_assert_max_num_queries(4):
        (name,) = client.get("/api/runs/search/names?prefix=lr").json()["names"]
    assert name["runs"] == MANY


@pytest.fixture
def spellings(environment: Environment) -> None:
    Made("low", scalars={"accuracy": [(0.95, 0.1, 0.95)]}, params={"LR": 0.1}).store()
    for at in range(3):
        Made(f"high_{at}", scalars={"Accuracy": [(0.9, 0.1, 0.95)]}, params={"LR": 0.01}).store()
    Made("val", scalars={"accuracy/val": [(0.9, 0.1, 0.95)]}).store()


@pytest.mark.usefixtures("spellings")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("lr < 0.05", ["high_0", "high_1", "high_2"]),
        ("param:Lr in (0.1)", ["low"]),
        ("accuracy > 0.5", ["low"]),
        ("max(Accuracy) > 0.5", ["high_0", "high_1", "high_2"]),
        ("ACCURACY > 0.5", []),
        ("max(ACCURACY/VAL) > 0.5", ["val"]),
    ],
)
def test_names_are_found_in_any_case_unless_both_exist(client: Client, query: str, found: list[str]) -> None:
    rows = answer(client, f"/api/runs?sort=name&query={quote(query)}")["results"]
    assert [row["name"] for row in rows] == found


@pytest.mark.usefixtures("spellings")
def test_a_query_is_told_what_else_it_may_have_meant(client: Client) -> None:
    (one,) = answer(client, f"/api/runs/search/similar?query={quote('lr < 1 and accuracy > 0.9')}")["names"]
    assert one == {
        "name": "accuracy",
        "runs": 1,
        "position": 11,
        "length": 14,
        "others": [
            {"name": "Accuracy", "runs": 3, "instead": "Accuracy > 0.9"},
            {"name": "accuracy/val", "runs": 1, "instead": "accuracy/val > 0.9"},
        ],
    }
    (one,) = answer(client, f"/api/runs/search/similar?query={quote('not max(val) in (1, 2)')}")["names"]
    assert (one["runs"], one["others"]) == (
        0,
        [{"name": "accuracy/val", "runs": 1, "instead": "max(accuracy/val) in (1, 2)"}],
    )
    assert answer(client, "/api/runs/search/similar?query=low")["names"] == []
