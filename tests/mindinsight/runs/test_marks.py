"""What people note about runs, through the API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from mindinsight.environment import Environment
from mindinsight.runs.marks import rows_changed
from mindinsight.runs.models import Run, RunMarks
from tests.mindinsight.published import answer

pytestmark = pytest.mark.django_db


@pytest.fixture
def runs(environment: Environment) -> list[Run]:
    return [Run.objects.create(name=name) for name in ("a", "b", "c")]


@pytest.fixture
def announced() -> Iterator[list[set[int]]]:
    """The messages to pages, by the numbers of runs."""
    told: list[set[int]] = []

    def listen(runs: set[int], **_: object) -> None:
        told.append(runs)

    rows_changed.connect(listen)
    yield told
    rows_changed.disconnect(listen)


def patch(client: Client, path: str, status: int = 200, **changes: Any) -> Any:
    response = client.patch(path, changes, content_type="application/json")
    assert response.status_code == status, response.content
    return response.json()


def mark(client: Client, run: Run, status: int = 200, **changes: Any) -> Any:
    return patch(client, f"/api/runs/{run.uid.hex}/marks", status, **changes)


def marks(client: Client) -> dict[str, Any]:
    return {row["name"]: row["marks"] for row in answer(client, "/api/runs")["results"]}


def test_marks_come_with_rows(client: Client, runs: list[Run], announced: list[set[int]]) -> None:
    assert marks(client) == {"a": None, "b": None, "c": None}
    made = mark(client, runs[0], tags=["seed", "good one", "seed"], colour=7, note="# 你好\n")
    assert made["changed"] > 0
    assert made == {
        "version": 1,
        "tags": ["seed", "good one"],
        "colour": 7,
        "note": "# 你好\n",
        "pinned": False,
        "archived": False,
        "icon": 0,
        "hidden": False,
        "baseline": False,
        "display_name": "",
        "changed": made["changed"],
    }
    assert marks(client) == {"a": made, "b": None, "c": None}
    assert announced == [{runs[0].pk}]


def test_only_what_is_named_changes(client: Client, runs: list[Run]) -> None:
    mark(client, runs[0], tags=["x"], colour=0)
    again = mark(client, runs[0], pinned=True, colour=None)
    assert (again["tags"], again["colour"], again["pinned"], again["version"]) == (["x"], None, True, 2)


def test_a_change_in_sight_of_older_marks_is_refused(client: Client, runs: list[Run]) -> None:
    assert mark(client, runs[0], version=0, note="mine")["version"] == 1
    body = mark(client, runs[0], 409, version=0, note="theirs")
    assert body["code"] == "stale_marks"
    assert body["detail"]["marks"]["note"] == "mine"
    assert mark(client, runs[0], version=1, note="both")["version"] == 2
    assert mark(client, runs[1], 409, version=3, note="never")["code"] == "stale_marks"
    assert marks(client)["b"] is None


def test_a_run_is_found_by_its_display_name_and_its_directory(client: Client, runs: list[Run]) -> None:
    assert mark(client, runs[0], display_name=" my best ")["display_name"] == "my best"
    found = answer(client, "/api/runs?query=best%20or%20name%3Db&columns=name&sort=name")["results"]
    assert [(row["name"], row["columns"]["name"]) for row in found] == [("b", "b"), ("a", "my best")]
    for query in ("name = a", 'name = "my best"', "name ~ MY*", "name:a", "name != b and name != c"):
        assert [row["name"] for row in answer(client, f"/api/runs?query={quote(query)}")["results"]] == ["a"], query
    assert [row["name"] for row in answer(client, "/api/runs?search=my")["results"]] == ["a"]
    assert mark(client, runs[0], display_name="")["display_name"] == ""
    assert mark(client, runs[0], 400, display_name="two\nlines")["code"] == "bad_parameter"


def test_there_is_one_baseline(client: Client, runs: list[Run], announced: list[set[int]]) -> None:
    mark(client, runs[0], baseline=True)
    mark(client, runs[1], baseline=True)
    found = marks(client)
    assert (found["a"]["baseline"], found["b"]["baseline"]) == (False, True)
    assert found["a"]["version"] == 2
    assert announced[-1] == {runs[0].pk, runs[1].pk}
    assert mark(client, runs[1], baseline=False)["baseline"] is False


def test_marks_outlive_the_row(client: Client, runs: list[Run]) -> None:
    mark(client, runs[0], note="kept")
    Run.objects.all().delete()
    Run.objects.create(name="a")
    assert marks(client)["a"]["note"] == "kept"


def test_many_runs_at_once(client: Client, runs: list[Run], announced: list[set[int]]) -> None:
    mark(client, runs[0], tags=["old", "seed"], note="stays")
    ids = [run.uid.hex for run in runs[:2]]
    asked: dict[str, Any] = {
        "runs": ids,
        "add_tags": ["seed", "new"],
        "remove_tags": ["old"],
        "archived": True,
        "colour": 3,
    }
    body = patch(client, "/api/runs/marks", **asked)["marks"]
    assert list(body) == ids
    assert body[ids[0]]["tags"] == body[ids[1]]["tags"] == ["seed", "new"]
    assert body[ids[0]]["note"] == "stays"
    assert marks(client) == {"a": body[ids[0]], "b": body[ids[1]], "c": None}
    assert announced[-1] == {run.pk for run in runs[:2]}


def test_icons_and_hidden_runs(client: Client, runs: list[Run]) -> None:
    assert mark(client, runs[0], icon=10)["icon"] == 10
    patch(client, "/api/runs/marks", runs=[run.uid.hex for run in runs[:2]], icon=3, hidden=True)
    found = marks(client)
    assert [(found[name]["icon"], found[name]["hidden"]) for name in ("a", "b")] == [(3, True), (3, True)]
    assert (mark(client, runs[0], icon=0)["icon"], marks(client)["a"]["hidden"]) == (0, True)


def test_a_change_of_many_in_sight_of_older_marks_is_refused(client: Client, runs: list[Run]) -> None:
    a, b, c = (run.uid.hex for run in runs)
    seen = {a: 0, b: 0, c: 0}
    patch(client, "/api/runs/marks", runs=[a, b], versions=seen, icon=1)
    # Another person still sees the runs as they were.
    body = patch(client, "/api/runs/marks", 409, runs=[a, b, c], versions=seen, icon=2, add_tags=["x"])
    assert body["code"] == "stale_marks"
    assert {uid: (now["icon"], now["version"]) for uid, now in body["detail"]["marks"].items()} == {
        a: (1, 1),
        b: (1, 1),
    }
    assert [found and found["icon"] for found in marks(client).values()] == [1, 1, None]
    patch(client, "/api/runs/marks", runs=[a, b, c], versions={a: 1, b: 1, c: 0}, icon=2)
    assert [found["icon"] for found in marks(client).values()] == [2, 2, 2]
    # Of runs that nobody looked at, and of tags that are added, nothing can be lost.
    patch(client, "/api/runs/marks", runs=[a, b], versions={b: 2}, hidden=True)
    assert marks(client)["a"]["version"] == 3


@pytest.mark.parametrize("versions", [{"a": -1}, {"a": "x"}, [1]])
def test_wrong_versions(client: Client, runs: list[Run], versions: Any) -> None:
    body = patch(client, "/api/runs/marks", 400, runs=[runs[0].uid.hex], versions=versions, icon=1)
    assert body["detail"]["parameter"] == "versions"


def test_all_of_many_or_none(client: Client, runs: list[Run]) -> None:
    ids = [runs[0].uid.hex, "0" * 32]
    assert patch(client, "/api/runs/marks", 404, runs=ids, pinned=True)["code"] == "run_not_found"
    mark(client, runs[1], tags=[str(number) for number in range(50)])
    ids = [run.uid.hex for run in runs]
    assert patch(client, "/api/runs/marks", 400, runs=ids, add_tags=["more"])["detail"]["run"] == "b"
    assert (marks(client)["a"], marks(client)["c"]) == (None, None)


@pytest.mark.parametrize(
    "changes",
    [
        {"colour": 10},
        {"colour": -1},
        {"tags": "seed"},
        {"tags": [""]},
        {"tags": ["x" * 65]},
        {"tags": ["two\nlines"]},
        {"tags": [1, {}]},
        {"tags": [str(number) for number in range(51)]},
        {"note": "x" * 10_001},
        {"note": "\0"},
        {"pined": True},
        {"pinned": "perhaps"},
        {"pinned": "true"},
        {"pinned": 1},
        {"colour": "3"},
        {"note": 5},
        {"version": -1},
        {"icon": 11},
        {"icon": -1},
        {"icon": None},
        {"hidden": "perhaps"},
    ],
)
def test_wrong_marks(client: Client, runs: list[Run], changes: dict[str, Any]) -> None:
    body = mark(client, runs[0], 400, **changes)
    assert (body["code"], body["detail"]["parameter"]) == ("bad_parameter", next(iter(changes)))
    assert not RunMarks.objects.exists()


@pytest.mark.parametrize("changes", [{"tags": ["\ud800"]}, {"note": "\ud800"}])
def test_half_a_surrogate_pair_is_no_text(client: Client, runs: list[Run], changes: dict[str, Any]) -> None:
    assert mark(client, runs[0], 400, **changes)["code"] == "parse_error"
    assert not RunMarks.objects.exists()


@pytest.mark.parametrize("body", ["[]", "1", "null", "{", '"x"'])
def test_bodies_that_are_no_marks(client: Client, runs: list[Run], body: str) -> None:
    for path in (f"/api/runs/{runs[0].uid.hex}/marks", "/api/runs/marks"):
        response = client.patch(path, body, content_type="application/json")
        assert response.status_code == 400


def test_an_unknown_run(client: Client, environment: Environment) -> None:
    assert patch(client, f"/api/runs/{'0' * 32}/marks", 404, pinned=True)["code"] == "run_not_found"


def test_marks_of_a_run_in_the_trash_stay(client: Client, runs: list[Run]) -> None:
    runs[0].removed = Run.Removed.STORE
    runs[0].save()
    assert mark(client, runs[0], 404, pinned=True)["code"] == "run_not_found"
