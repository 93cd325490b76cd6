"""Tensors through the API: of our writer's files, of MindSpore's and TensorBoard's, and of files that suffered."""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import AsyncClient, Client

from mindinsight.environment import Environment
from mindinsight.runs.models import Run, Series
from mindinsight.tensors import records
from mindinsight.tensors.arrays.tiles import DTYPES
from summaries import Kind
from summaries.records import frame
from summaries.schema.summary_pb2 import Event
from summaries.schema.tensorboard_pb2 import Event as TensorBoardEvent
from tests.mindinsight.distributions.conftest import Take
from tests.mindinsight.published import answer
from tests.mindinsight.tensors.conftest import Write

BASE = "/api/tensors"
CUBE = np.random.default_rng(1).normal(size=(4, 5, 6)).astype(np.float32)


def values(client: Client, query: str) -> Any:
    """The elements of a tile of level 0."""
    response = client.get(f"{BASE}/tile?{query}")
    assert response.status_code == 200, response.content
    _, _, rows, columns, dtype, *_ = np.frombuffer(response.content, "<u4", 8).tolist()
    return np.frombuffer(response.content[32:], DTYPES[dtype]).reshape(rows, columns)


def only_file(environment: Environment) -> Path:
    (path,) = (path for path in environment.base_directory.rglob("*") if path.is_file())
    path.chmod(0o600)
    return path


def test_tags_and_steps(client: Client, write: Write) -> None:
    number = write(CUBE, CUBE, CUBE)
    run = Run.objects.get()
    body = answer(client, f"{BASE}/tags?runs={run.pk}")
    assert [group["name"] for group in body["tags"]] == ["w"]
    assert body["tags"][0]["series"][0] | {"last_wall": None} == {
        "run": run.pk, "series": number, "segment": 0, "count": 3, "first_step": 0, "last_step": 20, "last_wall": None,
    }  # fmt: skip
    assert body["store"]
    steps = answer(client, f"{BASE}/steps?series={number}&first=1")
    assert (steps["total"], steps["step"], len(steps["wall_time"])) == (3, [10, 20], 2)
    assert answer(client, f"{BASE}/tags?runs={run.pk + 1}")["tags"] == []


def test_heads_tell_type_and_shape_of_the_newest(client: Client, write: Write) -> None:
    one = write(CUBE, CUBE[:2], tag="a", run="a")
    two = write(np.float64(1.5), tag="b", run="b")
    heads = answer(client, f"{BASE}/heads?series={one},{two},999")["heads"]
    assert [(head["dtype"], head["shape"]) for head in heads] == [("float32", [2, 5, 6]), ("float64", []), (None, [])]
    assert heads[2]["error"]["code"] == "unknown_series"
    assert answer(client, f"{BASE}/heads?series={','.join(map(str, range(101)))}", 400)["code"] == "too_many_series"


@pytest.mark.parametrize(
    "dtype",
    ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
     "complex64", "complex128"],
)  # fmt: skip
def test_every_type_comes_back_bit_for_bit(client: Client, write: Write, dtype: str) -> None:
    random = np.random.default_rng(7)
    array = (random.normal(size=(9, 13)) * 1e4).astype("float64")
    typed: Any = array.astype(dtype) if not dtype.startswith("uint") else np.abs(array).astype(dtype)
    if dtype == "int64":
        typed[0, 0] = 2**53 + 1
    number = write(typed)
    found = values(client, f"series={number}&index=0")
    assert found.dtype == typed.dtype
    assert found.tobytes() == typed.tobytes()
    assert answer(client, f"{BASE}/statistics?series={number}&index=0")["dtype"] == dtype


def test_statistics_of_a_slice(client: Client, write: Write) -> None:
    array = CUBE.copy()
    array[1, 2, 3], array[1, 2, 4], array[1, 2, 5], array[0, 0, 0] = np.nan, np.inf, -np.inf, 0
    number = write(array)
    body = answer(client, f"{BASE}/statistics?series={number}&index=0&slice=[1, :, -3:]&bins=5")
    part = array[1, :, -3:].astype(float)
    finite = part[np.isfinite(part)]
    found = body["statistics"]
    assert (body["shape"], body["slice"], body["slice_shape"]) == ([4, 5, 6], "[1, :, -3:]", [5, 3])
    assert (body["bytes"], body["slice_bytes"], body["tag"], body["step"]) == (480, 60, "w", 0)
    assert (found["nan"], found["pos_inf"], found["neg_inf"], found["count"]) == (1, 1, 1, 15)
    assert (found["min"], found["max"]) == (finite.min(), finite.max())
    assert (found["mean"], found["std"]) == (pytest.approx(finite.mean()), pytest.approx(finite.std()))
    assert body["histogram"]["counts"] == np.histogram(finite, 5)[0].tolist()
    whole = answer(client, f"{BASE}/statistics?series={number}&index=0")["statistics"]
    assert (whole["count"], whole["zeros"], whole["sparsity"]) == (120, 1, 1 / 120)


def test_statistics_of_nothing(client: Client, write: Write) -> None:
    number = write(np.full((2, 3), np.nan))
    body = answer(client, f"{BASE}/statistics?series={number}&index=0")
    assert (body["statistics"]["min"], body["histogram"]) == (None, None)
    empty = answer(client, f"{BASE}/statistics?series={number}&index=0&slice=[:0]")
    assert (empty["slice_shape"], empty["statistics"]["sparsity"]) == ([0, 3], None)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("slice=[2]", CUBE[2]),
        ("slice=[:, 1]", CUBE[:, 1]),
        ("slice=[:, 1]&swap=true", CUBE[:, 1].T),
        ("slice=[::-1, 4, 1::2]", CUBE[::-1, 4, 1::2]),
        ("slice=&plane=[3]", CUBE[3]),
        ("slice=[1:3]&plane=[1, :, ::2]", CUBE[2, :, ::2]),
        ("slice=[0, 0]", CUBE[0, :1]),
        ("slice=[0, 0, 0]", CUBE[0, :1, :1]),
    ],
)
def test_a_tile_shows_a_plane_of_a_slice(client: Client, write: Write, query: str, expected: Any) -> None:
    number = write(CUBE)
    np.testing.assert_array_equal(values(client, f"series={number}&index=0&{query}"), expected)


def test_tiles_of_an_empty_slice_are_empty(client: Client, write: Write) -> None:
    number = write(CUBE)
    assert values(client, f"series={number}&index=0&slice=[0, :0]").shape == (0, 6)
    for level in (1, 4):
        assert client.get(f"{BASE}/tile?series={number}&index=0&slice=[0, :0]&level={level}").status_code == 200


def test_levels_of_detail(client: Client, write: Write) -> None:
    array = np.arange(300 * 200, dtype=np.float32).reshape(300, 200)
    array[299, 199] = np.nan
    number = write(array)
    for level in (1, 2, 3, 5):
        tile = client.get(f"{BASE}/tile?series={number}&index=0&level={level}").content
        rows, columns = np.frombuffer(tile, "<u4", 8)[2:4].tolist()
        size = 1 << level
        assert (rows, columns) == (min(128, -(-300 // size)), min(128, -(-200 // size)))
        low = np.frombuffer(tile, "<f4", rows * columns, 32).reshape(rows, columns)
        assert low[1, 1] == array[size, size]
    assert answer(client, f"{BASE}/tile?series={number}&index=0&row=9", 404)["code"] == "unknown_tile"


def test_the_next_nan_is_found_in_slice_and_whole(client: Client, write: Write) -> None:
    array = CUBE.copy()
    array[1, 2, 3] = array[3, 0, 0] = np.nan
    number = write(array)
    path = f"{BASE}/find?series={number}&index=0&target=nan"
    first = answer(client, path)
    assert (first["found"], first["index"], first["value"]) == (True, [1, 2, 3], "NaN")
    second = answer(client, f"{path}&start={first['number']}")
    assert second["index"] == [3, 0, 0]
    assert answer(client, f"{path}&start={second['number']}")["index"] == [1, 2, 3]
    assert answer(client, f"{path}&start={first['number']}&backwards=true")["index"] == [3, 0, 0]
    inside = answer(client, f"{path}&slice=[1, :, ::-1]")
    assert (inside["index"], inside["whole_index"]) == ([2, 2], [1, 2, 3])
    assert not answer(client, f"{path}&slice=[0]")["found"]


def test_extremes_are_found(client: Client, write: Write) -> None:
    number = write(CUBE)
    for target, at in (("max", CUBE.argmax()), ("min", CUBE.argmin())):
        found = answer(client, f"{BASE}/find?series={number}&index=0&target={target}")
        assert found["number"] == at
        assert np.float32(found["value"]) == CUBE.flat[at]
    nothing = write(np.full(3, np.nan), tag="n", run="b")
    assert not answer(client, f"{BASE}/find?series={nothing}&index=0&target=max")["found"]


def test_two_steps_are_compared(client: Client, write: Write) -> None:
    after = CUBE.copy()
    after[2, 3, 4] += 1
    after[0, 1, 1] = np.nan
    number = write(CUBE, after)
    pair = f"series={number}&index=1&other_series={number}&other_index=0"
    body = answer(client, f"{BASE}/difference?{pair}&rtol=0.001&atol=0.000001&bins=8")
    assert (body["step"], body["other_step"], body["allclose"], body["outside"], body["equal"]) == (
        10,
        0,
        False,
        2,
        118,
    )
    assert [worst["index"] for worst in body["worst"]] == [[0, 1, 1], [2, 3, 4]]
    assert body["worst"][0]["one"] == "NaN"
    assert body["worst"][1]["absolute"] == pytest.approx(1, rel=1e-6)
    assert (sum(body["counts"]), sum(body["other_counts"]), len(body["edges"])) == (119, 120, 9)
    found = answer(client, f"{BASE}/find?{pair}&target=difference&rtol=0&atol=0&start=10")
    assert found["index"] == [2, 3, 4]
    tile = values(client, f"{pair}&slice=[2]")
    np.testing.assert_array_equal(tile, after[2].astype(float) - CUBE[2].astype(float))
    close = answer(client, f"{BASE}/difference?series={number}&index=0&other_series={number}&other_index=0")
    assert close["allclose"]
    assert close["max_ulp"] == 0


def test_two_runs_and_two_tags_are_compared(client: Client, write: Write) -> None:
    one, other = write(CUBE, run="a"), write(CUBE.astype(np.float64), run="b", tag="v")
    body = answer(client, f"{BASE}/difference?series={one}&index=0&other_series={other}&other_index=0")
    assert (body["allclose"], body["max_ulp"]) == (True, None)
    flat = write(CUBE.reshape(-1), run="c")
    refused = answer(client, f"{BASE}/difference?series={one}&index=0&other_series={flat}&other_index=0", 422)
    assert refused["code"] == "shapes_differ"
    assert "[4, 5, 6] and [120]" in refused["message"]


async def downloaded(path: str) -> tuple[Any, bytes]:
    response = await AsyncClient().get(path)
    assert response.status_code == 200
    return response, b"".join([piece async for piece in response])  # type: ignore[attr-defined]


@pytest.mark.django_db(transaction=True)
async def test_files_are_those_of_numpy(write: Write) -> None:
    from asgiref.sync import sync_to_async

    number = await sync_to_async(write)(CUBE, tag="conv/w: 1")
    response, data = await downloaded(f"{BASE}/file?series={number}&index=0&slice=[1:, 2]")
    np.testing.assert_array_equal(np.load(io.BytesIO(data)), CUBE[1:, 2])
    assert response["Content-Disposition"] == 'attachment; filename="conv_w_1-0.npy"'
    assert int(response["Content-Length"]) == len(data)
    _, text = await downloaded(f"{BASE}/file?series={number}&index=0&slice=[1:, 2]&format=csv")
    np.testing.assert_array_equal(np.loadtxt(io.BytesIO(text), delimiter=",", dtype=np.float32), CUBE[1:, 2])


def test_an_answer_is_not_sent_twice(client: Client, write: Write) -> None:
    number = write(CUBE)
    store = answer(client, f"{BASE}/tags")["store"]
    for path in ("statistics?", "tile?", "find?target=max&", f"difference?other_series={number}&other_index=0&"):
        whole = f"{BASE}/{path}series={number}&index=0&slice=[1]"
        first = client.get(whole)
        assert client.get(whole, headers={"if-none-match": first["etag"]}).status_code == 304
        other = client.get(whole.replace("[1]", "[2]"), headers={"if-none-match": first["etag"]})
        assert other.status_code == 200
        assert "immutable" in client.get(f"{whole}&store={store}")["cache-control"]
        assert answer(client, f"{whole}&store=x", 409, whole.partition("?")[0])["code"] == "store_changed"


@pytest.mark.parametrize(
    ("path", "code", "status"),
    [
        ("statistics?series={n}&index=5", "unknown_tensor", 404),
        ("statistics?series=999&index=0", "unknown_series", 404),
        ("statistics?series={n}&index=-1", "bad_parameter", 400),
        ("statistics?series={n}&index=0&slice=[9]", "bad_slice", 400),
        ("statistics?series={n}&index=0&slice=[:,%20None]", "bad_slice", 400),
        ("tile?series={n}&index=0", "too_many_axes", 400),
        ("tile?series={n}&index=0&plane=[9]", "bad_slice", 400),
        ("tile?series={n}&index=0&slice=[0]&level=99", "bad_parameter", 400),
        ("find?series={n}&index=0&target=gold", "bad_parameter", 400),
        ("find?series={n}&index=0&target=difference", "bad_parameter", 400),
    ],
)
def test_questions_without_an_answer(client: Client, write: Write, path: str, code: str, status: int) -> None:
    asked = f"{BASE}/{path.format(n=write(CUBE))}"
    assert answer(client, asked, status)["code"] == code


def test_a_wrong_slice_is_pointed_at(client: Client, write: Write) -> None:
    number = write(CUBE)
    body = answer(client, f"{BASE}/statistics?series={number}&index=0&slice=[:, 9]", 400)
    assert body["detail"] == {
        "parameter": "slice", "slice": "[:, 9]", "position": 4, "reason": "out_of_range",
        "index": 9, "axis": 1, "size": 5,
    }  # fmt: skip
    assert body["message"] == "Index 9 is outside axis 1, which has 5 entries (at character 5)."


def test_a_damaged_record_is_named(client: Client, write: Write, environment: Environment) -> None:
    number = write(CUBE, CUBE)
    path = only_file(environment)
    data = bytearray(path.read_bytes())
    data[-100] ^= 1
    path.write_bytes(data)
    assert client.get(f"{BASE}/statistics?series={number}&index=0").status_code == 200
    body = answer(client, f"{BASE}/statistics?series={number}&index=1", 404)
    assert body["code"] == "record_damaged"
    assert body["detail"]["file"] == str(path.relative_to(environment.base_directory))


def test_a_file_that_is_gone(client: Client, write: Write, environment: Environment) -> None:
    number = write(CUBE)
    only_file(environment).unlink()
    assert answer(client, f"{BASE}/statistics?series={number}&index=0", 404)["code"] == "file_gone"
    assert answer(client, f"{BASE}/heads?series={number}")["heads"][0]["error"]["code"] == "file_gone"


# --- large records are mapped


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32"])
def test_large_tensors_are_mapped_and_not_copied(
    client: Client, write: Write, monkeypatch: pytest.MonkeyPatch, dtype: str
) -> None:
    monkeypatch.setattr(records, "MAPPED_FROM", 1000)
    monkeypatch.setattr(records, "_CHUNK", 777)
    array = np.random.default_rng(2).integers(-100, 100, (70, 80)).astype(dtype)
    number = write(array)
    np.testing.assert_array_equal(values(client, f"series={number}&index=0"), array)
    (tensor,) = records._tensors._held.values()
    root = tensor.array
    while isinstance(root, np.ndarray) and root.base is not None:
        root = root.base  # type: ignore[assignment]
    assert "mmap" in repr(getattr(root, "obj", root))
    assert not tensor.array.flags.writeable


@pytest.mark.parametrize("place", [5, 9, -2, -500])
def test_damage_of_large_records_is_found(
    client: Client, write: Write, environment: Environment, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    monkeypatch.setattr(records, "MAPPED_FROM", 1000)
    number = write(np.ones((40, 40), np.float32))
    path = only_file(environment)
    data = bytearray(path.read_bytes())
    first = int.from_bytes(data[:8], "little") + 16
    data[first + place if place > 0 else place] ^= 1
    path.write_bytes(data)
    assert answer(client, f"{BASE}/statistics?series={number}&index=0", 404)["code"] == "record_damaged"
    path.write_bytes(data[:-50])
    assert answer(client, f"{BASE}/statistics?series={number}&index=0", 404)["code"] == "record_damaged"


def test_cutting_off_the_file_does_no_harm_to_what_is_mapped(
    client: Client, write: Write, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "MAPPED_FROM", 1000)
    number = write(np.ones((40, 40), np.float32))
    assert values(client, f"series={number}&index=0").sum() == 1600
    only_file(environment).write_bytes(b"")
    assert values(client, f"series={number}&index=0&slice=[:20]").sum() == 800


# --- other writers, and hostile ones


def put(environment: Environment, take: Take, *events: Any, name: str = "x") -> int:
    """An event file of these events, taken; the number of its only series of tensors."""
    path = environment.base_directory / name / f"events.out.tfevents.1.{name}"
    path.parent.mkdir()
    path.write_bytes(b"".join(frame(event.SerializeToString()) for event in events))
    take(path)
    return int(Series.objects.get(kind=Kind.TENSOR, run__name=name).pk)


def mindspore(**changes: Any) -> Event:
    event = Event(wall_time=1, step=1)
    value = event.summary.value.add(tag="t")
    value.tensor.data_type = changes.pop("data_type", 11)
    for name, given in changes.items():
        getattr(value.tensor, name).extend(given)
    return event


VERSION = Event(wall_time=1, version="MindSpore.Event:1")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"dims": [2, 3], "float_data": [1, 2, 3]}, "3 elements, but its shape [2, 3] needs 6"),
        ({"dims": [1 << 40, 1 << 40], "float_data": [1]}, "elements; up to"),
        ({"dims": [-1, 3], "float_data": [1, 2, 3]}, "axis 0 has the size -1"),
        ({"dims": [1] * 40, "float_data": [1]}, "axes; up to 32"),
        ({"dims": [1], "float_data": [1], "data_type": 13}, "element type 13"),
        ({"dims": [0, 1 << 60], "float_data": [1]}, "1 elements, but its shape"),
    ],
)
def test_hostile_shapes_are_refused(
    client: Client, environment: Environment, take: Take, changes: dict[str, Any], words: str
) -> None:
    number = put(environment, take, VERSION, mindspore(**changes))
    body = answer(client, f"{BASE}/statistics?series={number}&index=0", 422)
    assert body["code"] == "tensor_unreadable"
    assert words in body["message"]
    assert body["message"].endswith(f"holds a value that {body['detail']['reason']}.")


def test_exact_bytes_that_are_too_few(client: Client, environment: Environment, take: Take) -> None:
    event = Event(wall_time=1, step=1)
    value = event.summary.value.add(tag="t")
    value.exact.dims.extend([5])
    value.exact.data_type = 9  # type: ignore[assignment]
    value.exact.content = b"123"
    number = put(environment, take, VERSION, event)
    assert "not a whole number" in answer(client, f"{BASE}/statistics?series={number}&index=0", 422)["message"]


@pytest.mark.parametrize(
    ("dtype", "fields", "expected"),
    [
        (1, {"float_val": [1.5, 2.5, -3, 4]}, np.array([[1.5, 2.5], [-3, 4]], np.float32)),
        (2, {"tensor_content": np.arange(4.0).tobytes()}, np.arange(4.0).reshape(2, 2)),
        (3, {"int_val": [1, -2, 3, 4]}, np.array([[1, -2], [3, 4]], np.int32)),
        (4, {"int_val": [1, 255]}, np.array([[1, 255], [255, 255]], np.uint8)),
        (9, {"int64_val": [1 << 60, 2, 3, 4]}, np.array([[1 << 60, 2], [3, 4]])),
        (10, {"bool_val": [True, False, True, True]}, np.array([[True, False], [True, True]])),
        (14, {"half_val": [0x3F80, 0x4000, 0x7FC0, 0]}, np.array([[1, 2], [np.nan, 0]], np.float32)),
        (14, {"tensor_content": b"\x80\x3f\x00\x40" * 2}, np.array([[1, 2], [1, 2]], np.float32)),
        (19, {"half_val": [0x3C00, 0x4000, 0x7E00, 0]}, np.array([[1, 2], [np.nan, 0]], np.float16)),
        (8, {"scomplex_val": [1, 2, 3, 4, 5, 6, 7, 8]}, np.array([[1 + 2j, 3 + 4j], [5 + 6j, 7 + 8j]], np.complex64)),
        (23, {"uint64_val": [1, 1 << 63, 3, 4]}, np.array([[1, 1 << 63], [3, 4]], np.uint64)),
    ],
)
def test_tensors_of_tensorboard(
    client: Client, environment: Environment, take: Take, dtype: int, fields: dict[str, Any], expected: Any
) -> None:
    event = TensorBoardEvent(wall_time=1, step=7)
    value = event.summary.value.add(tag="t")
    value.tensor.dtype = dtype  # type: ignore[assignment]
    for size in (2, 2):
        value.tensor.tensor_shape.dim.add(size=size)
    for name, given in fields.items():
        if name == "tensor_content":
            value.tensor.tensor_content = given
        else:
            getattr(value.tensor, name).extend(given)
    number = put(environment, take, TensorBoardEvent(wall_time=1, file_version="brain.Event:2"), event)
    found = values(client, f"series={number}&index=0")
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == expected.dtype


def test_a_constant_of_tensorflow_that_claims_too_much(client: Client, environment: Environment, take: Take) -> None:
    event = TensorBoardEvent(wall_time=1, step=7)
    value = event.summary.value.add(tag="t")
    value.tensor.dtype = 1  # type: ignore[assignment]
    value.tensor.tensor_shape.dim.add(size=1 << 50)
    value.tensor.float_val.append(0)
    number = put(environment, take, TensorBoardEvent(wall_time=1, file_version="brain.Event:2"), event)
    assert answer(client, f"{BASE}/statistics?series={number}&index=0", 422)["code"] == "tensor_unreadable"


def test_tensors_that_mindspore_wrote(client: Client, environment: Environment, take: Take, real_files: Path) -> None:
    (source,) = (path for path in (real_files / "mindspore" / "tensors").iterdir() if path.name.endswith("_MS"))
    target = environment.base_directory / "real" / source.name
    target.parent.mkdir()
    shutil.copyfile(source, target)
    take(target)
    heads = {}
    for series in Series.objects.filter(kind=Kind.TENSOR):
        (head,) = answer(client, f"{BASE}/heads?series={series.pk}")["heads"]
        heads[series.tag] = (head["dtype"], len(head["shape"]))
        steps = answer(client, f"{BASE}/steps?series={series.pk}")["step"]
        assert len(steps) == 8
        for index in range(8):
            body = answer(client, f"{BASE}/statistics?series={series.pk}&index={index}")
            assert body["step"] == steps[index]
            assert body["statistics"]["count"] == np.prod(body["shape"])
            assert body["statistics"]["nan"] == 0
            assert sum(body["histogram"]["counts"]) == body["statistics"]["count"]
    assert heads == {
        "conv_weight": ("float32", 4), "labels": ("int32", 1), "conv_act": ("float32", 4), "logits": ("float32", 2),
    }  # fmt: skip
    # The same through the protobuf library.
    record = next(r for r in _payloads(source) if any(v.tag == "conv_act" for v in Event.FromString(r).summary.value))
    (value,) = (v for v in Event.FromString(record).summary.value if v.tag == "conv_act")
    expected = np.array(value.tensor.float_data, np.float32).reshape(tuple(value.tensor.dims))
    number = Series.objects.get(tag="conv_act", kind=Kind.TENSOR).pk
    np.testing.assert_array_equal(values(client, f"series={number}&index=0&slice=[1, 1]"), expected[1, 1])


def _payloads(path: Path) -> list[bytes]:
    data, offset, found = path.read_bytes(), 0, []
    while offset < len(data):
        length = int.from_bytes(data[offset : offset + 8], "little")
        found.append(data[offset + 12 : offset + 12 + length])
        offset += length + 16
    return found
