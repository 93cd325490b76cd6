"""The table of lineage, through the API."""

from __future__ import annotations

import math
import random
from itertools import count
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from mindinsight.api.json_numbers import json_number
from mindinsight.runs.models import EventFile, Run, RunMarks, Series
from tests.mindinsight.lineage.tables import PATH, table

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("environment")]
INF = math.inf
opening = count(1000, -1)
series_numbers = count(1)


def make(name: str, **facts: Any) -> Run:
    """Makes a run that is older than those before it: tables then have the order of the tests."""
    for source in ("params", "metrics"):
        facts[source] = {key: _storable(value) for key, value in facts.get(source, {}).items()}
    return Run.objects.create(name=name, **{"opened": float(next(opening)), **facts})


def _storable(value: Any) -> Any:
    return json_number(value) if isinstance(value, float) else value


def params(*noted: dict[str, Any]) -> None:
    for at, each in enumerate(noted):
        make(f"run{at}", params=each)


def add_series(run: Run, tag: str, last: float, low: float) -> None:
    number = next(series_numbers)
    file, _ = EventFile.objects.get_or_create(run=run, path=f"{run.name}/events")
    stored = None if math.isnan(last) else last
    Series.objects.create(
        id=number, run=run, file=file, tag=tag, kind="scalar", count=2, last_step=1, last_value=stored, min=low
    )


def column(client: Client, name: str) -> tuple[str, list[Any]]:
    found = table(client)
    return found.kinds[name], found.values[name]


def test_an_empty_table(client: Client) -> None:
    found = table(client)
    assert (found.header["runs"], found.header["of"]) == (0, 0)
    assert list(found.values) == ["number", "opened", "duration", "last_step", "state"]


def test_facts_about_runs(client: Client) -> None:
    run = make("a", opened=7.5, first_wall=10.0, last_wall=12.5, last_step=2**40, state=Run.State.CRASHED)
    other = make("b", opened=3.5, state=Run.State.FINISHED)
    found = table(client)
    assert found.values == {
        "number": [run.pk, other.pk],
        "opened": [7.5, 3.5],
        "duration": [2.5, None],
        "last_step": [2**40, None],
        "state": ["crashed", "finished"],
    }
    assert found.kinds["state"] == "category"


def test_what_any_run_notes_is_a_column(client: Client) -> None:
    make("a", params={"lr": 0.1, "opt": "adam"}, metrics={"accuracy": 0.5})
    make("b", params={"lr": 1, "width": 3}, metrics={"loss": 0.25})
    found = table(client)
    assert found.noted() == {
        "params.lr": [0.1, 1.0],
        "params.opt": ["adam", None],
        "params.width": [None, 3.0],
        "metrics.accuracy": [0.5, None],
        "metrics.loss": [None, 0.25],
    }
    better = {each["name"]: each["better"] for each in found.header["columns"]}
    assert (better["metrics.accuracy"], better["metrics.loss"], better["params.lr"]) == ("max", "min", None)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([0.5, None, 2, -(2**53)], "number"),
        ([INF, 0.0, -INF, None], "number"),
        (["sgd", None, "adam", "sgd"], "category"),
        ([True, False, None, True], "category"),
        ([1, True, "1", 1.0], "category"),
        ([INF, "adam", None, 0.5], "category"),
        (["", " ", "\N{SNOWMAN} 你好 \u202e", "a,b\n\"c'"], "category"),
        (["x" * 4096, "x", None, "X"], "category"),
    ],
)
def test_values_come_as_they_are(client: Client, values: list[Any], kind: str) -> None:
    params(*({} if value is None else {"p": value} for value in values))
    assert column(client, "params.p") == (kind, values)
    # 1 equals True, and yet they are two values.
    assert [type(value) is bool for value in table(client).values["params.p"]] == [
        type(value) is bool for value in values
    ]


def test_nan_is_a_value_and_no_gap(client: Client) -> None:
    params({"p": math.nan}, {}, {"p": 1.5})
    kind, (nan, gap, number) = column(client, "params.p")
    assert (kind, gap, number) == ("number", None, 1.5)
    assert math.isnan(nan)


def test_nan_among_words(client: Client) -> None:
    params({"p": math.nan}, {"p": "none"}, {"p": math.nan})
    kind, (nan, word, again) = column(client, "params.p")
    assert (kind, word) == ("category", "none")
    assert math.isnan(nan)
    assert math.isnan(again)


def test_lists_are_texts(client: Client) -> None:
    params({"p": ["Batch", 1]}, {"p": []}, {"p": 3}, {"p": ["Batch", 1]})
    assert column(client, "params.p") == ("category", ['["Batch",1]', "[]", 3, '["Batch",1]'])


def test_values_of_a_category_are_in_order(client: Client) -> None:
    params(*({"p": value} for value in ("b", 10, True, "B", 9, False, "a")))
    (found,) = [each for each in table(client).header["columns"] if each["name"] == "params.p"]
    assert found["values"] == [False, True, 9, 10, "B", "a", "b"]


@pytest.mark.parametrize("name", ["", "a.b", "params.", "__proto__", "né\u0301", "\"'\\", "x" * 1000, "number", "<b>"])
def test_hostile_names(client: Client, name: str) -> None:
    make("a", params={name: 1}, metrics={name: 2.0})
    assert table(client).noted() == {f"params.{name}": [1], f"metrics.{name}": [2.0]}


@pytest.mark.parametrize(("distinct", "dtype"), [(255, "u8"), (256, "u16")])
def test_codes_are_as_wide_as_they_need(client: Client, distinct: int, dtype: str) -> None:
    Run.objects.bulk_create(Run(name=str(at), opened=-at, params={"p": f"v{at}"}) for at in range(distinct))
    found = table(client)
    assert found.values["params.p"] == [f"v{at}" for at in range(distinct)]
    assert {each["array"]["dtype"] for each in found.header["columns"] if each["name"] == "params.p"} == {dtype}


def test_runs_of_a_query_and_a_shelf(client: Client) -> None:
    make("a", params={"lr": 0.1, "old": 1})
    b = make("b", params={"lr": 0.5})
    make("c", params={"lr": 0.7})
    make("gone", params={"lr": 0.9}, removed=Run.Removed.STORE)
    RunMarks.objects.create(run="c", archived=True)
    assert table(client).values["params.lr"] == [0.1, 0.5]
    found = table(client, "?query=lr > 0.3")
    assert (found.values["number"], found.header["of"]) == ([b.pk], 2)
    # What none of the found runs has is no column of theirs.
    assert "params.old" not in found.values
    assert table(client, "?shelf=archived").values["params.lr"] == [0.7]
    assert table(client, "?shelf=all").values["params.lr"] == [0.1, 0.5, 0.7]


def test_figures_of_scalar_tags(client: Client) -> None:
    a, b = make("a", metrics={"noted": 7.0}), make("b")
    add_series(a, "loss", last=0.5, low=0.25)
    add_series(b, "loss", last=math.nan, low=0.75)
    found = table(client, "?scalars=min(loss),last(loss),max(noted)")
    assert found.values["min(loss)"] == [0.25, 0.75]
    assert found.values["last(loss)"][0] == 0.5
    assert math.isnan(found.values["last(loss)"][1])
    assert found.values["max(noted)"] == [7.0, None]
    assert "last(loss)" not in table(client).values


def test_tags_that_hparams_name_as_results_come_unasked(client: Client) -> None:
    a, b, c = make("a", result_tags=["hparam/acc", "none such"]), make("b", result_tags=["hparam/acc"]), make("c")
    for run, last in ((a, 0.5), (b, 0.75), (c, 0.9)):
        add_series(run, "hparam/acc", last, 0.1)
    found = table(client)
    assert found.noted() == {"last(hparam/acc)": [0.5, 0.75, 0.9]}
    assert found.header["columns"][-1]["group"] == "scalars"
    assert table(client, "?query=name:c").noted() == {}


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("?query=lr <", "bad_query"),
        ("?scalars=last(", "bad_query"),
        ("?scalars=lr", "bad_parameter"),
        ("?shelf=top", "bad_parameter"),
    ],
)
def test_wrong_questions(client: Client, query: str, code: str) -> None:
    response = client.get(PATH + query)
    assert (response.status_code, response.json()["code"]) == (400, code)


def test_an_unchanged_table_is_not_sent_again(client: Client) -> None:
    run = make("a", params={"lr": 0.1}, result_tags=["acc"])
    add_series(run, "acc", 0.5, 0.5)

    def again(etag: str) -> Any:
        return client.get(PATH, headers={"If-None-Match": etag})

    etag = client.get(PATH)["ETag"]
    assert (again(etag).status_code, again(etag).content) == (304, b"")
    assert client.get(PATH + "?query=lr > 0")["ETag"] != etag
    for change in (
        lambda: Run.objects.update(params={"lr": 0.2}, noted=run.noted + 1),
        lambda: Run.objects.update(last_step=8),
        lambda: Series.objects.update(last_value=0.75),
        lambda: make("b"),
        lambda: Run.objects.filter(name="b").update(removed=Run.Removed.STORE),
        lambda: RunMarks.objects.create(run="a", archived=True),
    ):
        change()
        response = again(etag)
        assert response.status_code == 200
        etag = response["ETag"]


def test_as_few_questions_to_the_database_for_many_runs(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    Run.objects.bulk_create(Run(name=str(at), params={"lr": float(at)}) for at in range(600))
    with django_assert_num_queries(3):
        client.get(PATH)
    with django_assert_num_queries(1):
        client.get(PATH)


def test_whatever_changes_the_table_is_as_if_read_for_the_first_time(client: Client) -> None:
    """Runs arrive, record more, and disappear; the cache in memory must never show."""
    chance = random.Random(7)
    noted: dict[str, dict[str, Any]] = {}
    values: list[Any] = [1, 2.5, True, False, "a", "b", "1", ["x"], INF]
    for turn in range(15):
        for _ in range(chance.randrange(1, 6)):
            name = f"r{chance.randrange(12)}"
            what = {f"p{chance.randrange(6)}": chance.choice(values) for _ in range(chance.randrange(4))}
            stamp = {"params": {key: _storable(value) for key, value in what.items()}, "noted": turn}
            if name not in noted:
                Run.objects.create(name=name, opened=-int(name[1:]), **stamp)
            elif chance.random() < 0.3:
                Run.objects.filter(name=name).delete()
                del noted[name]
                continue
            else:
                Run.objects.filter(name=name).update(**stamp)
            noted[name] = what
        if chance.random() < 0.3:
            continue
        runs = sorted(noted, key=lambda name: int(name[1:]))
        expected = {
            f"params.{key}": [_text_of_list(noted[run].get(key)) for run in runs]
            for key in sorted({key for what in noted.values() for key in what})
        }
        assert table(client).noted() == expected
        assert table(client, "?query=name:r1").noted().keys() <= expected.keys()


def _text_of_list(value: Any) -> Any:
    return '["x"]' if value == ["x"] else value
