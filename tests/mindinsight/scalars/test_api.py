"""The scalars API, requested like from a script; JSON responses are checked against the published schema."""

from __future__ import annotations

import csv
import io
import json
import math
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import AsyncClient, Client
from jsonschema import Draft202012Validator

from mindinsight.environment import Environment
from mindinsight.runs.models import EventFile, Run, Series
from mindinsight.scalars.curves import curve
from mindinsight.scalars.raw import PIECE_POINTS
from mindinsight.store import ColumnStore, Rows, Table
from summaries.kinds import Kind
from tests.mindinsight.scalars.curves.shapes import Shape

pytestmark = pytest.mark.django_db(transaction=True)

SCHEMA: dict[str, Any] = json.loads(
    (Path(__file__).resolve().parents[3] / "frontend" / "openapi.json").read_text(encoding="utf-8")
)
HEADER = struct.Struct("<BBBBIIIQQd")
LOSS, LONG, OTHER = 70, 71, 72
LONG_ROWS = Shape(50_000, gaps=(1, 2), odd=0.0001, digits=9).rows()


def holds(body: Any, template: str, status: int = 200) -> Any:
    """Holds an answer against the schema of an address."""
    published = SCHEMA["paths"][template]["get"]["responses"][str(status)]["content"]["application/json"]["schema"]
    Draft202012Validator(_plain({**published, "components": SCHEMA["components"]})).validate(body)
    return body


def _plain(node: Any) -> Any:
    """OpenAPI 3.0's `nullable` in the words of JSON Schema."""
    if isinstance(node, list):
        return [_plain(item) for item in node]
    if not isinstance(node, dict):
        return node
    plain = {key: _plain(value) for key, value in node.items() if key != "nullable"}
    return {"anyOf": [plain, {"type": "null"}]} if node.get("nullable") else plain


def answer(client: Client, path: str, status: int = 200) -> Any:
    response = client.get(path)
    assert response.status_code == status, response.content
    return holds(response.json(), path.partition("?")[0], status)


async def download(path: str) -> bytes:
    response = await AsyncClient().get(path)
    assert response.status_code == 200
    return b"".join([bytes(piece) async for piece in response])


def points(values: list[float]) -> Rows:
    rows = np.zeros(len(values), Table.POINTS.dtype)
    rows["step"] = range(len(values))
    rows["wall"] = rows["step"] + 0.25
    rows["value"] = values
    return rows


def frames(data: bytes) -> list[dict[str, Any]]:
    """Frames of points, taken apart as the page about the wire says."""
    found, at = [], 0
    while at < len(data):
        _, kind, dtype, _, run, series, count, first, end, stored = HEADER.unpack_from(data, at)
        body, width = at + HEADER.size, {1: 4, 2: 8}[dtype]
        rows = np.zeros(count, Table.POINTS.dtype)
        rows["step"] = np.frombuffer(data, "<i8", count, body)
        rows["wall"] = np.frombuffer(data, "<f8", count, body + 8 * count)
        rows["value"] = np.frombuffer(data, f"<f{width}", count, body + 16 * count)
        head = {"kind": kind, "run": run, "series": series, "first": first, "end": end, "stored": stored}
        found.append({**head, "dtype": dtype, "rows": rows})
        at = body + (16 + width) * count + -(width * count) % 8
    return found


@pytest.fixture
def run(environment: Environment) -> Run:
    run = Run.objects.create(name="lenet/adam")
    file = EventFile.objects.create(run=run, path="lenet/adam/events")
    store = ColumnStore(environment.data_directory / "columns")
    for number, tag, kind, rows in (
        (LOSS, "loss", Kind.SCALAR, points([3.0, math.nan, 0.1])),
        (LONG, "accuracy", Kind.SCALAR, LONG_ROWS),
        (OTHER, "weights", Kind.HISTOGRAM, points([])),
    ):
        Series.objects.create(
            id=number,
            run=run,
            file=file,
            tag=tag,
            kind=kind,
            count=len(rows),
            last_value=0.1,
            first_step=0,
            last_step=2,
        )
        store.write(Table.POINTS, run.pk, number, 0, rows)
    return run


def test_tags_are_those_of_scalars(client: Client, run: Run) -> None:
    body = answer(client, f"/api/scalars/tags?runs={run.pk}")
    assert [group["name"] for group in body["tags"]] == ["accuracy", "loss"]
    (series,) = body["tags"][1]["series"]
    assert (series["run"], series["series"], series["segment"], series["count"]) == (run.pk, LOSS, 0, 3)
    assert answer(client, "/api/scalars/tags?runs=99999")["tags"] == []


def test_few_points_come_whole(client: Client, run: Run) -> None:
    (frame,) = answer(client, f"/api/scalars/points?series={LOSS}&format=json")["frames"]
    assert (frame["kind"], frame["first"], frame["end"], frame["run"]) == ("points", 0, 3, run.pk)
    assert (frame["step"], frame["wall_time"]) == ([0, 1, 2], [0.25, 1.25, 2.25])
    assert frame["value"] == [3.0, "NaN", 0.1]


def test_many_points_come_as_an_envelope_in_the_order_asked_for(client: Client, run: Run) -> None:
    response = client.get(f"/api/scalars/points?series={LONG},{LOSS}&width=100")
    assert response["content-type"] == "application/octet-stream"
    long, loss = frames(response.content)
    assert (long["kind"], long["first"], long["end"], long["series"]) == (2, 0, 50_000, LONG)
    assert long["rows"]["step"][[0, -1]].tolist() == LONG_ROWS["step"][[0, -1]].tolist()
    assert (loss["kind"], loss["dtype"], loss["series"]) == (1, 2, LOSS)
    assert loss["stored"] > 0
    (same,) = answer(client, f"/api/scalars/points?series={LONG}&width=100&format=json")["frames"]
    assert same["kind"] == "envelope"
    assert same["step"] == long["rows"]["step"].tolist()


@pytest.mark.parametrize("x", ["step", "wall"])
def test_a_range_of_x(client: Client, run: Run, x: str) -> None:
    low, high = LONG_ROWS[x][[1000, 1100]].tolist()
    (frame,) = frames(client.get(f"/api/scalars/points?series={LONG}&x={x}&from={low!r}&to={high!r}").content)
    assert frame["kind"] == 1
    expected = LONG_ROWS[frame["first"] : frame["end"]]
    assert frame["rows"].tobytes() == expected.tobytes()
    assert expected[x][1] == low
    assert expected[x][-2] == high
    assert frame["end"] < 1200


def test_smoothing_does_not_change_with_the_range(client: Client, run: Run) -> None:
    ask = f"/api/scalars/points?series={LONG}&smoothing=0.9&width=10000&from={{}}&to={{}}"
    wide, narrow = (
        {row["step"].item(): row["value"].item() for row in frames(client.get(ask.format(*part)).content)[0]["rows"]}
        for part in ((20_000, 24_000), (22_000, 23_000))
    )
    assert len(narrow) > 100
    assert {step: wide[step] for step in narrow} == pytest.approx(narrow, nan_ok=True)


def test_a_curve_without_smoothing_is_the_one_without_the_parameter(client: Client, run: Run) -> None:
    plain, zero = (client.get(f"/api/scalars/points?series={LONG}{more}").content for more in ("", "&smoothing=0"))
    assert plain == zero


def test_buckets(client: Client, run: Run) -> None:
    (frame,) = answer(client, f"/api/scalars/buckets?series={LOSS}&width=16")["frames"]
    assert (frame["kind"], frame["first"], frame["end"]) == ("buckets", 0, 3)
    columns = frame["columns"]
    assert columns["first_x"] == columns["last_x"] == [0.0, 1.0, 2.0]
    assert columns["min"] == columns["mean"] == columns["last"] == [3.0, "NaN", 0.1]
    assert (columns["count"], columns["nan"], columns["pos_inf"]) == ([1, 1, 1], [0, 1, 0], [0, 0, 0])


def test_buckets_in_frames(client: Client, run: Run) -> None:
    ask = f"/api/scalars/buckets?series={LONG}&width=50&x=wall"
    data = client.get(f"{ask}&format=binary").content
    (version, kind, dtype, _, _, series, count, first, end, _) = HEADER.unpack_from(data)
    assert (version, kind, dtype, series, first, end) == (1, 3, 2, LONG, 0, 50_000)
    columns = np.frombuffer(data, "<f8", offset=HEADER.size).reshape(11, count)
    (same,) = answer(client, ask)["frames"]
    for row, name in enumerate(
        ("first_x", "last_x", "first", "last", "min", "max", "mean", "count", "nan", "pos_inf", "neg_inf")
    ):
        np.testing.assert_array_equal(columns[row], [float(number) for number in same["columns"][name]])
    assert columns[7].sum() == 50_000


async def test_raw_frames_hold_every_point(run: Run) -> None:
    found = frames(await download(f"/api/scalars/raw?series={LONG}"))
    assert [(frame["first"], frame["end"]) for frame in found] == [(0, PIECE_POINTS), (PIECE_POINTS, 50_000)]
    assert np.concatenate([frame["rows"] for frame in found]).tobytes() == LONG_ROWS.tobytes()


async def test_raw_json_and_csv_hold_every_point(run: Run) -> None:
    (frame,) = holds(json.loads(await download(f"/api/scalars/raw?series={LONG}&format=json")), "/api/scalars/raw")[
        "frames"
    ]
    assert frame["step"] == LONG_ROWS["step"].tolist()
    assert frame["wall_time"] == LONG_ROWS["wall"].tolist()
    table = list(csv.DictReader(io.StringIO((await download(f"/api/scalars/raw?series={LONG}&format=csv")).decode())))
    for values in ([float(value) for value in frame["value"]], [float(row["value"]) for row in table]):
        np.testing.assert_array_equal(values, LONG_ROWS["value"])
    assert [int(row["step"]) for row in table] == frame["step"]
    assert [float(row["wall_time"]) for row in table] == frame["wall_time"]


@pytest.mark.parametrize(
    ("part", "steps"),
    [("first=1", [1, 2]), ("first=1&end=2", [1]), ("end=9", [0, 1, 2]), ("first=7", []), ("end=0", [])],
)
async def test_a_part_of_the_raw_points(run: Run, part: str, steps: list[int]) -> None:
    path = f"/api/scalars/raw?series={LOSS}&{part}"
    assert [step for frame in frames(await download(path)) for step in frame["rows"]["step"]] == steps
    (frame,) = json.loads(await download(f"{path}&format=json"))["frames"]
    assert frame["step"] == steps
    assert (await download(f"{path}&format=csv")).decode().splitlines()[0] == "step,wall_time,value"


@pytest.mark.parametrize("path", ["points?series=70,71", "buckets?series=70,71", "raw?series=71"])
def test_what_is_known_is_not_read_again(
    client: Client, run: Run, environment: Environment, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = client.get(f"/api/scalars/{path}")
    etag = first["ETag"]
    assert etag[0] == etag[-1] == '"'
    with monkeypatch.context() as patch:
        patch.setattr(ColumnStore, "read", lambda *_: pytest.fail("a column was read"))
        again = client.get(f"/api/scalars/{path}", headers={"if-none-match": etag})
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", etag)
    assert client.get(f"/api/scalars/{path}&width=99&end=7", headers={"if-none-match": etag}).status_code == 200
    store = ColumnStore(environment.data_directory / "columns")
    store.write(Table.POINTS, run.pk, LONG, 50_000, points([1.0]))
    fresh = client.get(f"/api/scalars/{path}", headers={"if-none-match": etag})
    assert fresh.status_code == 200
    assert fresh["ETag"] != etag


def test_a_store_that_was_read_anew_has_other_etags(client: Client, run: Run, environment: Environment) -> None:
    first = client.get(f"/api/scalars/points?series={OTHER - 2}")["ETag"]
    store = ColumnStore(environment.data_directory / "columns")
    store.clear()
    store.write(Table.POINTS, run.pk, LOSS, 0, points([3.0, math.nan, 0.1]))
    assert client.get(f"/api/scalars/points?series={LOSS}")["ETag"] != first


def test_each_series_is_loaded_once(client: Client, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[int] = []
    read = ColumnStore.read
    monkeypatch.setattr(curve.ColumnStore, "read", lambda *asked: loaded.append(asked[3]) or read(*asked))
    client.get(f"/api/scalars/points?series={LONG},{LOSS},{LONG}")
    assert loaded == [LONG, LOSS]


@pytest.mark.parametrize("path", ["points", "buckets"])
@pytest.mark.parametrize(
    ("query", "code", "parameter", "status"),
    [
        ("", "bad_parameter", "series", 400),
        ("series=", "bad_parameter", "series", 400),
        ("series=,", "bad_parameter", "series", 400),
        ("series=x", "bad_parameter", "series", 400),
        ("series=-1", "bad_parameter", "series", 400),
        ("series=70&width=5", "bad_parameter", "width", 400),
        ("series=70&width=10001", "bad_parameter", "width", 400),
        ("series=70&width=nan", "bad_parameter", "width", 400),
        ("series=70&from=nan", "bad_parameter", "from", 400),
        ("series=70&to=inf", "bad_parameter", "to", 400),
        ("series=70&from=5&to=4", "bad_parameter", "to", 400),
        ("series=70&x=time", "bad_parameter", "x", 400),
        ("series=70&format=csv", "bad_parameter", "format", 400),
        ("series=99999999999999999999999", "bad_parameter", "series", 400),
        ("series=987654", "unknown_series", None, 404),
        ("series=72", "unknown_series", None, 404),
        ("series=" + ",".join(map(str, range(1, 1002))), "too_many_series", None, 400),
    ],
)
def test_wrong_questions(
    client: Client, run: Run, path: str, query: str, code: str, parameter: str | None, status: int
) -> None:
    body = answer(client, f"/api/scalars/{path}?{query}", status)
    assert body["code"] == code
    assert body["message"]
    assert body["detail"].get("parameter") == parameter


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("points?series=70&smoothing=1", 400),
        ("points?series=70&smoothing=-0.1", 400),
        ("points?series=70&smoothing=nan", 400),
        ("raw", 400),
        ("raw?series=70,71", 400),
        ("raw?series=70&first=-1", 400),
        ("raw?series=70&format=exe", 400),
        ("raw?series=72", 404),
        ("raw?series=9223372036854775807", 404),
    ],
)
def test_wrong_questions_of_one_kind(client: Client, run: Run, path: str, status: int) -> None:
    assert answer(client, f"/api/scalars/{path}", status)["message"]


def test_another_scalar_along_x(client: Client, run: Run) -> None:
    ask = f"/api/scalars/points?series={LOSS}&x=tag:accuracy"
    (frame,) = answer(client, f"{ask}&format=json")["frames"]
    both = [at for at, step in enumerate(LONG_ROWS["step"].tolist()) if step in (0, 1, 2)]
    in_order = sorted(both, key=lambda at: LONG_ROWS["value"][at])
    assert both
    assert frame["step"] == LONG_ROWS["step"][in_order].tolist()
    assert frame["x"] == LONG_ROWS["value"][in_order].tolist()
    data = client.get(ask).content
    assert HEADER.unpack_from(data)[3] == 1
    assert frames(data)[0]["rows"]["wall"].tolist() == frame["x"]
    assert answer(client, f"{ask}-of-nothing&format=json")["frames"][0]["step"] == []


@pytest.mark.parametrize("x", ["relative_step", "relative_time"])
def test_a_range_of_relative_x(client: Client, run: Run, x: str) -> None:
    series = Series.objects.get(pk=LONG)
    series.first_step, series.first_wall = int(LONG_ROWS["step"][0]), float(LONG_ROWS["wall"][0])
    series.save()
    column = "step" if x == "relative_step" else "wall"
    low, high = (LONG_ROWS[column][[1000, 1100]] - LONG_ROWS[column][0]).tolist()
    ask = f"/api/scalars/points?series={LONG}&x={x}&from={low - 1e-6!r}&to={high + 1e-6!r}"
    (frame,) = frames(client.get(ask).content)
    shown = frame["rows"][column] - LONG_ROWS[column][0]
    assert shown[1] == pytest.approx(low)
    assert shown[-2] == pytest.approx(high)


def test_counts_of_rules(client: Client, run: Run) -> None:
    ask = f"/api/scalars/counts?series={LONG},{LOSS}&rule=%3E1;%3C%3D0,%3E1e9&from=0&to=20000"
    long, loss = answer(client, ask)["counts"]
    inside = LONG_ROWS["value"][LONG_ROWS["step"] <= 20_000]
    assert (long["points"], long["hits"][0]) == (len(inside), int((inside > 1).sum()))
    assert long["hits"][1] == int((inside <= 0).sum() + (inside > 1e9).sum())
    assert loss == {"run": run.pk, "series": LOSS, "points": 3, "hits": [1, 0]}
    assert client.get("/api/scalars/counts?series=70&rule=x").json()["code"] == "bad_parameter"


async def test_a_range_is_exported_with_the_names_of_runs(run: Run) -> None:
    text = (await download(f"/api/scalars/export?series={LOSS},{LONG}&from=1&to=2000")).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row for row in rows if row["tag"] == "loss"] == [
        {"run": "lenet/adam", "tag": "loss", "segment": "0", "step": "1", "wall_time": "1.25", "value": "NaN"},
        {"run": "lenet/adam", "tag": "loss", "segment": "0", "step": "2", "wall_time": "2.25", "value": "0.1"},
    ]
    long = [int(row["step"]) for row in rows if row["tag"] == "accuracy"]
    assert long == [step for step in LONG_ROWS["step"].tolist() if 1 <= step <= 2000]


@pytest.mark.parametrize("kind", ["ema", "mean", "gaussian"])
@pytest.mark.parametrize("x", ["step", "wall", "relative_step", "tag:loss"])
def test_each_kind_of_smoothing_on_each_axis(client: Client, run: Run, kind: str, x: str) -> None:
    ask = f"/api/scalars/points?series={LONG}&x={x}&x_scale=symlog&smoothing=0.8&smoothing_kind={kind}&format=json"
    (frame,) = answer(client, ask)["frames"]
    assert frame["kind"] == "envelope"
    assert client.get(ask, headers={"if-none-match": client.get(ask)["ETag"]}).status_code == 304
