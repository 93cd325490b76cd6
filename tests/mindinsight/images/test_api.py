"""Images through the API: of our writer's files, of MindSpore's and TensorBoard's, and of files that suffered."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client
from PIL import Image

from mindinsight.environment import Environment
from mindinsight.images import serializers
from mindinsight.images.records import MAX_PIXELS, MAX_SIDE
from mindinsight.runs import recorded
from mindinsight.runs.models import Run
from summaries import SummaryWriter
from summaries.schema.summary_pb2 import Event
from summaries.schema.tensorboard_pb2 import DataType
from summaries.schema.tensorboard_pb2 import Event as TensorBoardEvent
from tests.mindinsight.distributions.conftest import Take
from tests.mindinsight.distributions.test_api import payloads
from tests.mindinsight.images.pictures import modern_image, old_image, picture, tensorboard_file
from tests.mindinsight.published import answer

NumberOf = Callable[[str], int]
STEPS = (0, 10, 25)


def pixels(step: int) -> Any:
    return np.random.default_rng(step).integers(0, 256, (6, 4, 3)).astype(np.uint8)


@pytest.fixture
def written(environment: Environment, take: Take) -> Path:
    """A file of our writer with three images `x`."""
    with SummaryWriter(environment.base_directory / "a", environment=False) as writer:
        for step in STEPS:
            writer.add_image("x", pixels(step), step, walltime=100.0 + step, dataformats="HWC")
    assert writer.path is not None
    take(writer.path)
    return writer.path


def steps(number: int, **more: int) -> str:
    return f"/api/images/steps?series={number}" + "".join(f"&{name}={value}" for name, value in more.items())


def listed(number: int, **more: int) -> str:
    return steps(number, **more).replace("steps", "list")


def file(number: int, index: int, picture_number: int = 0) -> str:
    return f"/api/images/file?series={number}&index={index}&number={picture_number}"


def refused(client: Client, path: str, status: int) -> str:
    return str(answer(client, path, status, "/api/images/file")["code"])


def test_tags(client: Client, written: Path, number_of: NumberOf) -> None:
    run = Run.objects.get()
    body = answer(client, "/api/images/tags")
    row = {"run": run.pk, "series": number_of("x"), "segment": 0, "count": 3, "first_step": 0, "last_step": 25}
    assert body["tags"] == [{"name": "x", "series": [{**row, "last_wall": None}]}]
    assert answer(client, f"/api/images/tags?runs={run.pk + 1}")["tags"] == []
    etag = client.get("/api/images/tags")["etag"]
    assert client.get("/api/images/tags", headers={"if-none-match": etag}).status_code == 304
    Run.objects.update(removed=Run.Removed.STORE)
    assert answer(client, "/api/images/tags")["tags"] == []


def test_what_was_written_comes_back(client: Client, written: Path, number_of: NumberOf) -> None:
    number = number_of("x")
    columns = answer(client, steps(number))
    assert columns == {
        "series": number, "total": 3, "first": 0, "step": [0, 10, 25], "wall_time": [100.0, 110.0, 125.0]
    }  # fmt: skip
    body = answer(client, listed(number))
    assert (body["tag"], body["total"]) == ("x", 3)
    for index, (step, row) in enumerate(zip(STEPS, body["images"], strict=True)):
        assert row == {
            "index": index, "step": step, "wall_time": 100.0 + step, "pictures": 1, "width": 4, "height": 6,
            "type": "image/png", "error": None,
        }  # fmt: skip
        got = client.get(file(number, index))
        np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(got.content))), pixels(step))


def test_pages(client: Client, written: Path, number_of: NumberOf, monkeypatch: pytest.MonkeyPatch) -> None:
    number = number_of("x")
    assert answer(client, steps(number, first=1, end=2))["step"] == [10]
    assert answer(client, steps(number, first=3))["step"] == answer(client, steps(number, first=2, end=1))["step"] == []
    assert [row["index"] for row in answer(client, listed(number, first=1))["images"]] == [1, 2]
    monkeypatch.setattr(recorded.within_bytes, "__defaults__", (1,))
    assert [row["index"] for row in answer(client, listed(number, first=1))["images"]] == [1]
    assert serializers.MAX_ROWS <= 200


def test_a_picture_may_be_kept(client: Client, written: Path, number_of: NumberOf) -> None:
    path = file(number_of("x"), 1)
    got = client.get(path)
    assert got["content-type"] == "image/png"
    assert "sandbox" in got["content-security-policy"]
    assert got["cache-control"] == "private, no-cache"
    assert client.get(path, headers={"if-none-match": got["etag"]}).status_code == 304
    store = answer(client, "/api/images/tags")["store"]
    assert "immutable" in client.get(f"{path}&store={store}")["cache-control"]
    assert refused(client, f"{path}&store=another", 409) == "store_changed"


def test_what_is_not_there(client: Client, written: Path, number_of: NumberOf) -> None:
    number = number_of("x")
    for path in (file(number + 1, 0), steps(number + 1), listed(number + 1)):
        assert answer(client, path, 404)["code"] == "unknown_series"
    assert refused(client, file(number, 3), 404) == "unknown_picture"
    assert refused(client, file(number, 0, 1), 404) == "unknown_picture"
    assert refused(client, file(number, 0).replace("index=0", "index=-1"), 400) == "bad_parameter"


def test_a_damaged_record_costs_only_its_image(
    client: Client, written: Path, environment: Environment, number_of: NumberOf
) -> None:
    data = bytearray(written.read_bytes())
    offset = sum(len(payload) + 16 for payload in payloads(written)[:2])
    data[offset + 40] ^= 1
    written.chmod(0o600)
    written.write_bytes(data)
    first, second, third = answer(client, listed(number_of("x")))["images"]
    assert first["error"] is third["error"] is None
    assert (second["step"], second["pictures"], second["error"]["code"]) == (10, 0, "record_damaged")
    name = str(written.relative_to(environment.base_directory))
    assert second["error"]["detail"] == {"file": name, "offset": offset}
    assert not client.get(listed(number_of("x"))).has_header("etag")
    assert refused(client, file(number_of("x"), 1), 404) == "record_damaged"
    assert client.get(file(number_of("x"), 2)).status_code == 200


def test_a_file_that_is_gone(client: Client, written: Path, number_of: NumberOf) -> None:
    written.unlink()
    assert [row["error"]["code"] for row in answer(client, listed(number_of("x")))["images"]] == ["file_gone"] * 3
    assert refused(client, file(number_of("x"), 0), 404) == "file_gone"


def test_pictures_of_tensorflow_2(client: Client, environment: Environment, take: Take, number_of: NumberOf) -> None:
    red, jpeg = picture("PNG", 7, 2), picture("JPEG", 7, 2)
    events = [modern_image("t", 1, b"7", b"2", red, jpeg), modern_image("t", 2, b"7", b"2")]
    take(tensorboard_file(environment.base_directory / "tf" / "events.out.tfevents.1.host", events))
    number = number_of("t")
    two, none = answer(client, listed(number))["images"]
    assert (two["pictures"], two["width"], two["height"], two["type"]) == (2, 7, 2, "image/png")
    assert (none["pictures"], none["width"], none["error"]) == (0, None, None)
    assert (client.get(file(number, 0)).content, client.get(file(number, 0, 1)).content) == (red, jpeg)
    assert client.get(file(number, 0, 1))["content-type"] == "image/jpeg"
    assert refused(client, file(number, 1), 404) == "unknown_picture"


def bomb(width: int, height: int) -> bytes:
    encoded = bytearray(picture("PNG"))
    encoded[16:24] = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    return bytes(encoded)


HOSTILE = [
    (b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", 415, "unsupported_picture"),
    (b"<!doctype html><script>alert(1)</script>", 415, "unsupported_picture"),
    (b"", 415, "unsupported_picture"),
    (picture("TIFF"), 415, "unsupported_picture"),
    (picture("PNG")[:20], 422, "picture_damaged"),
    (bomb(0, 5), 422, "picture_damaged"),
    (bomb(MAX_SIDE, MAX_PIXELS // MAX_SIDE + 1), 422, "picture_too_large"),
    (bomb(MAX_SIDE + 1, 1), 422, "picture_too_large"),
    (bomb((1 << 32) - 1, (1 << 32) - 1), 422, "picture_too_large"),
]


@pytest.mark.parametrize(("encoded", "status", "code"), HOSTILE)
def test_hostile_pictures_are_refused(
    client: Client, environment: Environment, take: Take, number_of: NumberOf, encoded: bytes, status: int, code: str
) -> None:
    path = environment.base_directory / "h" / "events.out.tfevents.1.host"
    take(tensorboard_file(path, [old_image("h", 3, encoded), old_image("h", 4, picture())]))
    number = number_of("h")
    refused_row, good = answer(client, listed(number))["images"]
    assert (refused_row["step"], refused_row["width"], refused_row["error"]["code"]) == (3, None, code)
    detail = refused_row["error"]["detail"]
    assert (detail["file"], detail["offset"] > 0) == (str(path.relative_to(environment.base_directory)), True)
    assert (good["width"], good["error"]) == (5, None)
    assert refused(client, file(number, 0), status) == code


def test_the_largest_picture_is_let_through(
    client: Client, environment: Environment, take: Take, number_of: NumberOf
) -> None:
    encoded = bomb(MAX_SIDE, MAX_PIXELS // MAX_SIDE)
    take(
        tensorboard_file(environment.base_directory / "l" / "events.out.tfevents.1.host", [old_image("l", 1, encoded)])
    )
    assert client.get(file(number_of("l"), 0)).content == encoded


@pytest.mark.parametrize(
    "event",
    [modern_image("b", 1, b"7"), modern_image("b", 1, b"7", b"2", picture(), dtype=DataType.DT_UINT8)],
    ids=["too short", "another type"],
)
def test_tensors_that_are_no_images(
    client: Client, environment: Environment, take: Take, number_of: NumberOf, event: TensorBoardEvent
) -> None:
    take(tensorboard_file(environment.base_directory / "b" / "events.out.tfevents.1.host", [event]))
    (row,) = answer(client, listed(number_of("b")))["images"]
    assert row["error"]["code"] == "record_damaged"
    assert "width, height and pictures" in row["error"]["message"]


def expected_pictures(real: Path) -> dict[str, list[tuple[int, bytes]]]:
    """Tags of a real file with steps and encoded pictures, as protobuf reads them."""
    found: dict[str, list[tuple[int, bytes]]] = {}
    tensorboard = "tfevents" in real.name
    for payload in payloads(real):
        event: Any = (TensorBoardEvent if tensorboard else Event).FromString(payload)
        for value in event.summary.value:
            if value.HasField("image"):
                encoded = value.image.encoded_image_string if tensorboard else value.image.encoded_image
                found.setdefault(value.tag, []).append((event.step, encoded))
    return found


@pytest.mark.parametrize("name", ["mindspore/lenet/adam_lr001_b32", "mindspore/tensors", "tensorboard/adam_lr0.001"])
def test_real_files(
    client: Client, environment: Environment, take: Take, real_files: Path, number_of: NumberOf, name: str
) -> None:
    (real,) = [path for path in (real_files / name).glob("events.*") if not path.name.endswith("lineage")]
    target = environment.base_directory / "real" / real.name
    target.parent.mkdir()
    shutil.copy(real, target)
    take(target)
    expected = expected_pictures(real)
    assert expected
    for tag, pictures in expected.items():
        number = number_of(tag)
        assert answer(client, steps(number))["step"] == [step for step, _ in pictures]
        for row, (_, encoded) in zip(answer(client, listed(number))["images"], pictures, strict=False):
            with Image.open(io.BytesIO(encoded)) as image:
                assert (row["width"], row["height"], row["error"]) == (*image.size, None)
            assert client.get(file(number, row["index"])).content == encoded
