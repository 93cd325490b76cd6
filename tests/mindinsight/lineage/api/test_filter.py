"""MindInsight's search conditions, through the API."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from mindinsight.runs.models import Run
from tests.mindinsight.published import answer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("environment")]


@pytest.fixture(autouse=True)
def runs() -> None:
    noted: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        (
            "a",
            {"learning_rate": 0.1, "optimizer": "Adam", "seed": 1, "train_dataset_size": 64},
            {"acc": 0.5, "loss": 2.0},
        ),
        ("b", {"learning_rate": 0.01, "optimizer": "SGD", "seed": 2, "valid_dataset_size": 8}, {"acc": 0.75}),
        ("c", {"learning_rate": 0.001, "optimizer": "Adam", "name": "x", "model_size": 9}, {"acc": "NaN", "loss": 1.0}),
        ("d", {}, {"acc": "Infinity"}),
    ]
    for at, (name, params, metrics) in enumerate(noted):
        Run.objects.create(name=name, opened=-at, params=params, metrics=metrics)


def ask(client: Client, condition: Any, status: int = 200) -> Any:
    response = client.post("/api/lineage/filter", condition, content_type="application/json")
    assert response.status_code == status, response.content
    return response.json()


def names(client: Client, **condition: Any) -> str:
    return "".join(each["summary_dir"].removeprefix("./") for each in ask(client, condition)["object"])


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ({}, "abcd"),
        ({"learning_rate": {"eq": 0.01}}, "b"),
        ({"learning_rate": {"lt": 0.1}}, "bc"),
        ({"learning_rate": {"gt": 0.001, "le": 0.1}}, "ab"),
        ({"learning_rate": {"ge": 0.01}, "optimizer": {"eq": "Adam"}}, "a"),
        ({"optimizer": {"in": ["SGD", "Momentum"]}}, "b"),
        ({"optimizer": {"not_in": ["SGD"]}}, "acd"),
        ({"optimizer": {"lt": 5}}, ""),
        ({"user_defined/seed": {"in": [1, 2]}}, "ab"),
        ({"metric/acc": {"ge": 0.75}}, "bd"),
        ({"loss": {"lt": 1.5}}, "c"),
        ({"summary_dir": {"in": ["./a", "./d"]}}, "ad"),
        ({"train_dataset_count": {"eq": 64}}, "a"),
        ({"test_dataset_count": {"eq": 8}}, "b"),
        ({"model_size": {"ge": 9}}, "c"),
        # What a run has not is less than anything.
        ({"sorted_name": "learning_rate"}, "dcba"),
        ({"sorted_name": "learning_rate", "sorted_type": "descending"}, "abcd"),
        ({"sorted_name": "metric/acc", "sorted_type": "ascending"}, "cabd"),
        ({"sorted_name": "summary_dir", "sorted_type": "descending", "limit": 3, "offset": 0}, "dcb"),
        ({"sorted_name": "summary_dir", "limit": 3, "offset": 1}, "d"),
        ({"offset": 1}, ""),
        ({"lineage_type": {"eq": "model"}}, "abcd"),
    ],
)
def test_conditions(client: Client, condition: dict[str, Any], found: str) -> None:
    assert names(client, **condition) == found


def test_conditions_in_the_address(client: Client) -> None:
    condition = {"optimizer": {"in": ["SGD"]}}
    found = answer(client, "/api/lineage/filter?condition=" + quote(json.dumps(condition)))
    assert found == ask(client, condition)
    assert answer(client, "/api/lineage/filter")["count"] == 4
    body = answer(client, "/api/lineage/filter?condition=%7B", 400)
    assert (body["code"], body["detail"]["parameter"]) == ("bad_parameter", "condition")


def test_the_answer_has_mindinsight_s_form(client: Client) -> None:
    body = ask(client, {"optimizer": {"eq": "Adam"}, "limit": 1, "offset": 1})
    assert body["count"] == 2
    (run,) = body["object"]
    assert run["summary_dir"] == "./c"
    lineage = run["model_lineage"]
    assert (lineage["learning_rate"], lineage["loss"], lineage["batch_size"]) == (0.001, 1.0, None)
    assert (lineage["metric"], lineage["user_defined"]) == ({"acc": "NaN", "loss": 1.0}, {"name": "x"})
    assert body["customized"]["user_defined/name"] == {"label": "user_defined/name", "required": False, "type": "str"}
    assert body["customized"]["metric/loss"] == {"label": "metric/loss", "required": True, "type": "float"}


@pytest.mark.parametrize(
    ("condition", "field"),
    [
        ({"lr": {"eq": 1}}, "lr"),
        ({"epoch": 3}, "epoch"),
        ({"epoch": {"like": 3}}, "epoch"),
        ({"epoch": {"in": 3}}, "epoch"),
        ({"epoch": {"eq": [3]}}, "epoch"),
        ({"sorted_name": "nothing"}, "sorted_name"),
        ({"sorted_name": ["loss"]}, "sorted_name"),
        ({"sorted_type": "up"}, "sorted_type"),
        ({"limit": 0}, "limit"),
        ({"limit": 101}, "limit"),
        ({"offset": True}, "offset"),
        ({"offset": -1}, "offset"),
        ([], "condition"),
    ],
)
def test_wrong_conditions(client: Client, condition: Any, field: str) -> None:
    body = ask(client, condition, 400)
    assert client.get("/api/lineage/filter", {"condition": json.dumps(condition)}).json() == body
    assert (body["code"], body["detail"]["parameter"]) == ("bad_parameter", field)
