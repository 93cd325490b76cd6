"""The index of tags as columns says the same as the list of tags in rows."""

from __future__ import annotations

import math
from typing import Any

import pytest
from django.test import Client

from mindinsight.environment import Environment
from mindinsight.runs.models import EventFile, Run, RunMarks, Series
from mindinsight.runs.standard import standard_runs
from summaries.kinds import Kind

pytestmark = pytest.mark.django_db


def make(name: str, tags: list[str], removed: str = "") -> Run:
    run = Run.objects.create(name=name, removed=removed)
    file = EventFile.objects.create(run=run, path=name)
    first = 1 + (Series.objects.order_by("-pk").values_list("pk", flat=True).first() or 0)
    for number, tag in enumerate(tags, first):
        value = None if tag == "nan" else number / 7
        Series.objects.create(
            id=number, run=run, file=file, tag=tag, kind=Kind.SCALAR, count=number, first_step=number, last_step=90,
            first_wall=1.5, last_wall=2.5, last_value=value, min=value, max=value, not_finite=value is None,
        )  # fmt: skip
    Series.objects.create(id=first + 500, run=run, file=file, tag="weights", kind=Kind.HISTOGRAM, count=1)
    return run


def rows_of(columns: dict[str, Any]) -> set[tuple[Any, ...]]:
    names = columns.pop("names")
    assert names == sorted(set(names))
    tags = [names[at] for at in columns.pop("tag")]
    return set(zip(tags, *(columns[name] for name in sorted(columns)), strict=True))


def listed(client: Client, query: str = "") -> set[tuple[Any, ...]]:
    groups = client.get(f"/api/scalars/tags{query}").json()["tags"]
    rows = [{**row, "tag": group["name"]} for group in groups for row in group["series"]]
    plain = [{name: None if value == "NaN" else value for name, value in row.items()} for row in rows]
    return {(row.pop("tag"), *(row[name] for name in sorted(row))) for row in plain}


def test_columns_hold_what_rows_hold(client: Client, environment: Environment) -> None:
    one, other = make("a", ["loss", "nan", "损失"]), make("b", ["loss", "acc"])
    assert rows_of(client.get("/api/scalars/series").json()) == listed(client)
    of_one = rows_of(client.get(f"/api/scalars/series?runs={one.pk}").json())
    assert of_one == listed(client, f"?runs={one.pk}")
    assert len(of_one) == 3
    many = ",".join(map(str, [other.pk, *range(90_000, 90_600)]))
    assert rows_of(client.get(f"/api/scalars/series?runs={many}").json()) == listed(client, f"?runs={other.pk}")


def test_runs_that_pages_show_first_need_no_numbers(client: Client, environment: Environment) -> None:
    runs = [make(f"run_{number}", ["loss"]) for number in range(3)]
    RunMarks.objects.create(run=runs[1].name, archived=True)
    make("away", ["loss"], removed=Run.Removed.STORE)
    assert client.get("/api/scalars/series?standard=true").json()["run"] == [runs[0].pk, runs[2].pk]


def test_of_many_runs_the_newest_are_shown_first(environment: Environment) -> None:
    walls = [5.0, None, 7.0, 1.0, 7.0, *(0.5 - at / 100 for at in range(16))]
    runs = [Run.objects.create(name=f"run_{at}", first_wall=wall) for at, wall in enumerate(walls)]
    # As `standardSet` of the pages has it: who has no point yet is the newest, of equals the one that came last.
    assert standard_runs() == [runs[at].pk for at in (1, 4, 2, 0, 3, *range(5, 20))]
    Run.objects.filter(pk=runs[3].pk).update(removed=Run.Removed.STORE)
    assert standard_runs()[-1] == runs[20].pk


def test_of_nothing_there_are_empty_columns(client: Client, environment: Environment) -> None:
    found = client.get("/api/scalars/series").json()
    assert len(found) == 14
    assert not any(found.values())


def test_runs_that_were_removed_are_not_in_the_index(client: Client, environment: Environment) -> None:
    make("gone", ["loss"], removed=Run.Removed.STORE)
    assert client.get("/api/scalars/series").json()["names"] == []


def test_an_index_that_did_not_change_is_not_sent_again(client: Client, environment: Environment) -> None:
    make("a", ["loss"])
    first = client.get("/api/scalars/series")
    again = client.get("/api/scalars/series", headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    Series.objects.update(last_value=math.pi)
    changed = client.get("/api/scalars/series", headers={"if-none-match": first["ETag"]})
    assert changed.status_code == 200
    assert changed["ETag"] != first["ETag"]
