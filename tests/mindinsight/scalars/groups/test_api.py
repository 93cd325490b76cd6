"""The API of groups, requested like from a script; JSON responses are checked against the published schema."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from mindinsight.environment import Environment
from mindinsight.runs.models import EventFile, Run, RunMarks, Series
from mindinsight.store import ColumnStore, Table
from summaries.kinds import Kind

pytestmark = pytest.mark.django_db(transaction=True)

SCHEMA: dict[str, Any] = json.loads(
    (Path(__file__).resolve().parents[4] / "frontend" / "openapi.json").read_text(encoding="utf-8")
)
HEADER = struct.Struct("<BBBBIIIQQd")


def post(client: Client, name: str, body: Any, status: int = 200) -> Any:
    response = client.post(f"/api/scalars/{name}", json.dumps(body), content_type="application/json")
    assert response.status_code == status, response.content
    if response["Content-Type"] != "application/json":
        return response.content
    found = response.json()
    answers = SCHEMA["paths"][f"/api/scalars/{name}"]["post"]["responses"]
    published = answers[str(status)]["content"]["application/json"]["schema"]
    Draft202012Validator(_plain({**published, "components": SCHEMA["components"]})).validate(found)
    return found


def _plain(node: Any) -> Any:
    """OpenAPI 3.0's `nullable` in the words of JSON Schema."""
    if isinstance(node, list):
        return [_plain(item) for item in node]
    if not isinstance(node, dict):
        return node
    plain = {key: _plain(value) for key, value in node.items() if key != "nullable"}
    return {"anyOf": [plain, {"type": "null"}]} if node.get("nullable") else plain


def record(
    environment: Environment,
    run: Run,
    number: int,
    values: list[float],
    segment: int = 0,
    first: int = 0,
    tag: str = "loss",
) -> None:
    rows = np.zeros(len(values), Table.POINTS.dtype)
    rows["step"] = first + np.arange(len(values))
    rows["wall"], rows["value"] = rows["step"] * 2.0 + 100, values
    ColumnStore(environment.data_directory / "columns").write(Table.POINTS, run.pk, number, 0, rows)
    file = EventFile.objects.create(run=run, path=f"{run.name}/{number}")
    Series.objects.create(
        id=number, run=run, file=file, tag=tag, kind=Kind.SCALAR, segment=segment, count=len(values),
        first_step=first, last_step=first + len(values) - 1, first_wall=float(rows["wall"][0]),
    )  # fmt: skip


@pytest.fixture
def runs(environment: Environment) -> list[int]:
    """Three runs with a loss of 0 to 9, of 10 to 19 and of 5.0 from where it was trained again; one without."""
    made = [
        Run.objects.create(name=f"sweep/{number}", params=params)
        for number, params in enumerate([{"lr": 0.1, "net": [3, 4]}, {"lr": 0.01, "net": [3, 4]}, {"lr": 0.1}, {}])
    ]
    record(environment, made[0], 11, [float(step) for step in range(10)])
    record(environment, made[1], 12, [10.0 + step for step in range(10)])
    record(environment, made[2], 13, [99.0] * 10)
    record(environment, made[2], 14, [5.0] * 10, segment=1)
    RunMarks.objects.create(run="sweep/1", tags=["seed", "bad"])
    return [run.pk for run in made]


def test_mean_and_band_are_over_all_members(client: Client, runs: list[int]) -> None:
    body = {"tag": "loss", "groups": [runs, runs[:1], runs[3:]], "width": 16, "from": 0, "to": 16, "format": "json"}
    found = post(client, "groups", body)["groups"]
    assert [group["members"] for group in found] == [3, 1, 0]
    assert [group["points"] for group in found] == [30, 10, 0]
    first, alone, empty = found
    assert first["x"] == [step + 0.5 for step in range(10)]
    expected = np.array([[step, 10 + step, 5] for step in range(10)])
    np.testing.assert_allclose(first["line"], expected.mean(axis=1))
    np.testing.assert_allclose(first["band_high"], expected.mean(axis=1) + expected.std(axis=1, ddof=1))
    assert alone["band_low"] == ["NaN"] * 10
    assert empty["x"] == []


def test_frames_hold_what_json_says(client: Client, runs: list[int]) -> None:
    body = {"tag": "loss", "groups": [runs[:2], runs[2:]], "width": 20, "line": "median", "band": "quartiles"}
    data, said = post(client, "groups", body), post(client, "groups", {**body, "format": "json"})["groups"]
    at = 0
    for number, group in enumerate(said):
        _, kind, dtype, _, run, _, count, _, _, _ = HEADER.unpack_from(data, at)
        numbers = np.frombuffer(data, "<f8", count // 8, at + HEADER.size)
        assert (kind, dtype, run) == (8, 2, number)
        assert numbers[:4].tolist() == [group["low"], group["high"], group["members"], group["points"]]
        columns = numbers[4:].reshape(5, -1)
        for column, name in zip(columns, ("x", "line", "band_low", "band_high", "count"), strict=True):
            np.testing.assert_array_equal(column, np.array(group[name], float))
        at += HEADER.size + count
    assert at == len(data)


@pytest.mark.parametrize("x", ["step", "relative_step", "wall", "relative_time"])
def test_every_axis_has_all_points(client: Client, runs: list[int], x: str) -> None:
    (group,) = post(client, "groups", {"tag": "loss", "groups": [runs[:2]], "x": x, "format": "json"})["groups"]
    assert group["points"] == 20
    assert group["high"] - group["low"] == (9 if "step" in x else 18)


def test_another_scalar_lies_along_x(client: Client, environment: Environment, runs: list[int]) -> None:
    record(environment, Run.objects.get(pk=runs[0]), 20, [0.5 * step for step in range(10)], tag="epoch")
    body = {"tag": "loss", "groups": [runs], "x": "tag:epoch", "width": 16, "format": "json"}
    (group,) = post(client, "groups", body)["groups"]
    # Runs without the other scalar are members, but have no place in the chart.
    assert (group["low"], group["high"], group["points"]) == (0, 4.5, 10)
    np.testing.assert_allclose(group["line"][0], 0.0, atol=0.5)


def test_a_density_counts_runs_not_points(client: Client, runs: list[int]) -> None:
    body = {"tag": "loss", "runs": runs, "width": 30, "height": 20, "bottom": 0, "top": 20}
    said = post(client, "density", {**body, "format": "json"})
    assert (said["members"], said["points"], said["bottom"], said["top"]) == (3, 30, 0, 20)
    counts = np.array(said["counts"])
    # The line of 0 to 9 crosses that of 5.
    assert counts.max() == 2
    assert (counts.sum(axis=0) >= 3).all()
    data = post(client, "density", body)
    _, kind, _, _, _, _, count, _, _, _ = HEADER.unpack_from(data)
    assert (kind, HEADER.size + count) == (9, len(data))
    head = np.frombuffer(data, "<f8", 8, HEADER.size)
    assert head.tolist() == [0, 9, 3, 30, 0, 20, 30, 20]
    np.testing.assert_array_equal(np.frombuffer(data, "<u2", 600, HEADER.size + 64).reshape(20, 30), counts)


def test_runs_are_grouped_by_parameters_and_tags(client: Client, runs: list[int]) -> None:
    found = post(client, "groupings", {"runs": runs, "by": ["param:lr"]})
    assert found["groups"] == [
        {"values": [0.01], "runs": [runs[1]]},
        {"values": [0.1], "runs": [runs[0], runs[2]]},
        {"values": [None], "runs": [runs[3]]},
    ]
    assert {key["key"]: (key["runs"], key["values"]) for key in found["keys"]} == {
        "param:lr": (3, 2), "param:net": (2, 1), "tags": (4, 2),
    }  # fmt: skip
    both = post(client, "groupings", {"runs": runs[:2], "by": ["param:net", "tags"]})
    assert [group["values"] for group in both["groups"]] == [["[3, 4]", ""], ["[3, 4]", "bad, seed"]]
    assert post(client, "groupings", {"runs": runs})["groups"] == [{"values": [], "runs": runs}]


@pytest.mark.parametrize(
    ("name", "change", "parameter"),
    [
        ("groups", {"groups": []}, "groups"),
        ("groups", {"groups": [[]]}, "groups"),
        ("groups", {"groups": [["1 OR 1=1"]]}, "groups"),
        ("groups", {"groups": [[-1]]}, "groups"),
        ("groups", {"groups": [[1 << 63]]}, "groups"),
        ("groups", {"groups": [[1]] * 201}, "groups"),
        ("groups", {"groups": [list(range(10_001))]}, "groups"),
        ("groups", {"width": 1_000_000}, "width"),
        ("groups", {"from": 5, "to": 5}, "to"),
        ("groups", {"from": "NaN"}, "from"),
        ("groups", {"to": "5"}, "to"),
        ("groups", {"groups": [["1"]]}, "groups"),
        ("groups", {"sort": "name"}, "sort"),
        ("groups", {"smoothing": 1}, "smoothing"),
        ("groups", {"line": "mode"}, "line"),
        ("groups", {"band": "sigma"}, "band"),
        ("groups", {"x": "loss"}, "x"),
        ("groups", {"x_scale": "log", "from": 0}, "from"),
        ("groups", {"smoothing_kind": "median"}, "smoothing_kind"),
        ("groups", {"tag": "x" * 2000}, "tag"),
        ("groups", {"tag": None}, "tag"),
        ("groups", {"groups": [list(range(1, 10_001))], "width": 10_000}, "width"),
        ("density", {"height": 1_000_000}, "height"),
        ("density", {"bottom": 1}, "top"),
        ("density", {"bottom": 1, "top": 0}, "top"),
        ("density", {"runs": []}, "runs"),
        ("groupings", {"by": ["a"] * 9}, "by"),
        ("groupings", {"by": "tags"}, "by"),
    ],
)
def test_what_cannot_be_drawn_is_refused_by_name(
    client: Client, runs: list[int], name: str, change: Any, parameter: str
) -> None:
    usual = {
        "groups": {"tag": "loss", "groups": [[1]]},
        "density": {"tag": "loss", "runs": [1]},
        "groupings": {"runs": [1]},
    }
    problem = post(client, name, {**usual[name], **change}, 400)
    assert (problem["code"], problem["detail"]["parameter"]) == ("bad_parameter", parameter)


def test_what_is_not_there_is_an_empty_chart(client: Client, runs: list[int]) -> None:
    (group,) = post(client, "groups", {"tag": "'; --", "groups": [[1, 777]], "format": "json"})["groups"]
    assert (group["members"], group["low"], group["high"], group["x"]) == (0, 0, 1, [])
    image = post(client, "density", {"tag": "none", "runs": runs, "format": "json"})
    assert np.array(image["counts"]).max() == 0


def test_of_very_many_runs_all_members_are_found(client: Client, runs: list[int]) -> None:
    many = [*runs, *range(100_000, 100_600)]
    (group,) = post(client, "groups", {"tag": "loss", "groups": [many], "format": "json"})["groups"]
    assert group["members"] == 3
    assert len(post(client, "groupings", {"runs": many})["groups"][0]["runs"]) == 4
