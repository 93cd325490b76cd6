"""Orders, groups and values of tables of runs through the API, held against plain arithmetic."""

from __future__ import annotations

import random
import statistics
from urllib.parse import quote

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from mindinsight.environment import Environment
from mindinsight.runs.models import EventFile, Run, Series
from tests.mindinsight.published import answer
from tests.mindinsight.runs.search.runs import Made

pytestmark = pytest.mark.django_db


@pytest.fixture
def runs(environment: Environment) -> None:
    nan = float("nan")
    Made("a", params={"opt": "adam", "lr": 0.1}, scalars={"acc": [(0.5, 0.1, 0.6)], "loss": [(0.3, 0.2, 2.0)]}).store()
    Made("b", params={"opt": "adam", "lr": 0.01}, scalars={"acc": [(0.8, 0.1, 0.8)], "loss": [(nan, 0.1, 2.0)]}).store()
    Made("c", params={"opt": "sgd", "lr": 0.1}, scalars={"acc": [(0.7, 0.1, 0.9)]}, marks={"archived": True}).store()
    Made("d", params={"lr": 0.1}, scalars={"acc": [(0.2, 0.1, 0.3)]}, marks={"pinned": True}).store()


def order(client: Client, **asked: str) -> dict:  # type: ignore[type-arg]
    """Asks for an order; the answer is as the schema says."""
    parameters = "&".join(f"{name}={quote(value)}" for name, value in asked.items())
    return dict(answer(client, f"/api/runs/order?{parameters}"))


def names(numbers: list[int]) -> list[str]:
    known = dict(Run.objects.values_list("pk", "name"))
    return [known[number] for number in numbers]


@pytest.mark.usefixtures("runs")
def test_runs_come_in_the_order_asked_for(client: Client) -> None:
    found = order(client, sort="-pinned,-max(acc)")
    assert names(found["runs"]) == ["d", "c", "b", "a"]
    assert (found["of"], found["archived"], found["groups"]) == (4, 1, [])
    assert found["milliseconds"] > 0


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(("shelf", "expected", "of"), [("active", "ab", 3), ("archived", "c", 1), ("all", "abc", 4)])
def test_the_archive_is_a_shelf_of_its_own(client: Client, shelf: str, expected: str, of: int) -> None:
    found = order(client, shelf=shelf, query="acc > 0.3", sort="name")
    assert "".join(names(found["runs"])) == expected
    assert found["of"] == of


@pytest.mark.usefixtures("runs")
def test_groups_tell_statistics_of_their_members(client: Client) -> None:
    found = order(client, by="opt", columns="max(acc),last(loss),lr", sort="name")
    groups = found["groups"]
    assert [(group["key"], group["first"], group["count"]) for group in groups] == [
        ("adam", 0, 2), ("sgd", 2, 1), (None, 3, 1),
    ]  # fmt: skip
    accuracy = groups[0]["columns"]["max(acc)"]
    assert accuracy["n"] == 2
    assert accuracy["mean"] == pytest.approx(0.7)
    assert accuracy["std"] == pytest.approx(statistics.stdev([0.6, 0.8]))
    assert (accuracy["min"], accuracy["max"], accuracy["best"]) == (0.6, 0.8, 0.8)
    loss = groups[0]["columns"]["last(loss)"]
    assert (loss["n"], loss["mean"], loss["std"], loss["best"]) == (1, 0.3, None, 0.3)
    assert groups[1]["columns"]["lr"]["same"] == 0.1
    assert groups[1]["columns"]["last(loss)"]["same"] is None
    assert "same" not in groups[0]["columns"]["lr"]
    assert groups[0]["columns"]["lr"]["best"] is None


@pytest.mark.usefixtures("runs")
def test_groups_lie_inside_groups(client: Client) -> None:
    found = order(client, by="lr,opt", sort="name")
    assert [(group["level"], group["key"], group["first"], group["count"]) for group in found["groups"]] == [
        (0, 0.1, 0, 3), (1, "adam", 0, 1), (1, "sgd", 1, 1), (1, None, 2, 1), (0, 0.01, 3, 1), (1, "adam", 3, 1),
    ]  # fmt: skip
    assert names(found["runs"]) == ["a", "c", "d", "b"]


def test_statistics_of_many_are_those_of_the_standard_library(client: Client, environment: Environment) -> None:
    numbers = random.Random(1)
    values = [numbers.gauss(1e6, 1e-3) for _ in range(40)]
    for index, value in enumerate(values):
        Made(f"run{index}", params={"same": 1, "value": value}).store()
    (group,) = order(client, by="same", columns="value")["groups"]
    assert group["columns"]["value"]["mean"] == pytest.approx(statistics.fmean(values), rel=1e-15)
    assert group["columns"]["value"]["std"] == pytest.approx(statistics.stdev(values), rel=1e-6)


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("parameter", ["query", "sort", "by", "columns"])
def test_what_is_not_understood_names_its_place(client: Client, parameter: str) -> None:
    refused = answer(client, f"/api/runs/order?{parameter}={quote('lr lr(')}", 400)
    assert (refused["code"], refused["detail"]["parameter"]) == ("bad_query", parameter)


@pytest.mark.usefixtures("runs")
def test_values_come_by_run_in_the_order_of_the_columns(client: Client) -> None:
    numbers = dict(Run.objects.values_list("name", "pk"))
    asked = ",".join(str(numbers[name]) for name in "abd") + ",999999"
    found = answer(client, f"/api/runs/values?runs={asked}&columns={quote('max(acc),last(loss),opt,pinned')}")
    assert [column["better"] for column in found["columns"]] == ["max", "min", None, None]
    assert found["values"] == {
        str(numbers["a"]): [0.6, 0.3, "adam", False],
        str(numbers["b"]): [0.8, "NaN", "adam", False],
        str(numbers["d"]): [0.3, None, None, True],
    }


@pytest.mark.usefixtures("runs")
def test_a_window_and_an_order_take_few_questions(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(4):
        order(client, by="opt", columns="max(acc),lr", sort="-max(acc)", query="acc > 0")
    with django_assert_num_queries(1):
        answer(client, "/api/runs/values?runs=1,2,3&columns=lr,opt")


def test_no_more_values_than_an_address_has_room_for(client: Client, environment: Environment) -> None:
    refused = answer(client, "/api/runs/values?columns=lr&runs=" + ",".join(map(str, range(1001))), 400)
    assert refused["detail"]["parameter"] == "runs"


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        ([(3, 0, 0.3, 0.05, 0.15)], 0.1),
        ([(3, 0, 0.1 + 0.1 + 0.1, 0.1, 0.1)], 0.1),
        ([(4, 1, 6.0, 1.0, 3.0), (2, 0, 8.0, 3.0, 5.0)], 14 / 5),
        ([(2, 2, 0.0, None, None)], None),
        # Read before sums were kept.
        ([(5, 0, 0.0, 1.0, 2.0)], None),
    ],
)
def test_the_mean_is_that_of_all_finite_values(
    client: Client, environment: Environment, series: list[tuple[float, ...]], expected: float | None
) -> None:
    run = Run.objects.create(name="a")
    file = EventFile.objects.create(run=run, path="a/events")
    for number, (count, not_finite, total, low, high) in enumerate(series):
        values = {"count": count, "not_finite": not_finite, "sum": total, "min": low, "max": high, "stretch": number}
        Series.objects.create(id=number + 1, run=run, file=file, tag="loss", kind="scalar", **values)
    found = answer(client, f"/api/runs/values?runs={run.pk}&columns=mean(loss)")
    assert found["values"][str(run.pk)] == [pytest.approx(expected) if expected is not None else None]
    assert names(order(client, query="mean(loss) > 0")["runs"]) == (["a"] if expected else [])


def test_what_tells_runs_apart(client: Client, environment: Environment) -> None:
    same = {"opt": "adam", "seed": 1, "layers": [1, 2]}
    for at in range(4):
        params = {**same, "a_step": at, "lr": 0.1 * (at % 2), "note": f"run number {at}", "step": at}
        Made(f"run_{at}", params=params, scalars={"accuracy": [(0.1, 0.1, 0.1)], "loss": [(1, 1, 1)]}).store()
    Made("other", params={"opt": "sgd"}, metrics={"f1": 0.5}, marks={"archived": True}).store()
    assert answer(client, "/api/runs/telling?shelf=active") == {
        "score": "max(accuracy)",
        # What people change most, then what most runs have. `step` says the same as `a_step`.
        "parameters": ["lr", "a_step", '"note"'],
    }
    assert answer(client, "/api/runs/telling")["parameters"][:2] == ["lr", "opt"]
    assert answer(client, "/api/runs/telling?query=name:other") == {"score": "max(f1)", "parameters": []}
    assert answer(client, "/api/runs/telling?query=name:nobody") == {"score": None, "parameters": []}
