"""Histograms through the API: of our writer's files, of MindSpore's and TensorBoard's, and of files that suffered."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client

from mindinsight.environment import Environment
from mindinsight.runs.models import Run, Series
from summaries import SummaryWriter
from summaries.schema.summary_pb2 import Event
from summaries.schema.tensorboard_pb2 import Event as TensorBoardEvent
from tests.mindinsight.distributions.conftest import Take
from tests.mindinsight.published import answer

PATH = "/api/distributions/histograms"


def payloads(path: Path) -> list[bytes]:
    """The payloads of a sound file, cut apart by their lengths alone."""
    data, offset, found = path.read_bytes(), 0, []
    while offset < len(data):
        length = int.from_bytes(data[offset : offset + 8], "little")
        found.append(data[offset + 12 : offset + 12 + length])
        offset += length + 16
    return found


@pytest.fixture
def written(environment: Environment, take: Take) -> Path:
    """A file of our writer with 101 histograms of `w` and three of `b`."""
    random = np.random.default_rng(1)
    with SummaryWriter(environment.base_directory / "a", environment=False) as writer:
        for step in range(101):
            writer.add_histogram("w", random.normal(size=1000), step, walltime=100.0 + step)
        for step in range(3):
            writer.add_histogram("b", [1.0, 2.0, np.nan, np.inf, -np.inf, np.inf], 10 * step)
    assert writer.path is not None
    take(writer.path)
    return writer.path


def test_tags(client: Client, written: Path, number_of: Callable[[str], int]) -> None:
    run = Run.objects.get()
    groups = answer(client, "/api/distributions/tags")["tags"]
    assert [group["name"] for group in groups] == ["b", "w"]
    assert groups[0]["series"] == [
        {
            "run": run.pk,
            "series": number_of("b"),
            "segment": 0,
            "count": 3,
            "first_step": 0,
            "last_step": 20,
            "last_wall": None,
        }
    ]
    assert answer(client, f"/api/distributions/tags?runs={run.pk}")["tags"] == groups
    assert answer(client, f"/api/distributions/tags?runs={run.pk + 1}")["tags"] == []
    Run.objects.update(removed=Run.Removed.STORE)
    assert answer(client, "/api/distributions/tags")["tags"] == []


def test_what_was_written_comes_back(client: Client, written: Path, number_of: Callable[[str], int]) -> None:
    body = answer(client, f"{PATH}?series={number_of('w')}&at_most=500")
    assert (body["tag"], body["total"], len(body["histograms"])) == ("w", 101, 101)
    random = np.random.default_rng(1)
    for step, histogram in enumerate(body["histograms"]):
        array = random.normal(size=1000)
        counts, edges = np.histogram(array, 90)
        assert (histogram["step"], histogram["wall_time"]) == (step, 100.0 + step)
        assert histogram["count"] == counts.tolist()
        np.testing.assert_allclose(histogram["left"], edges[:-1])
        np.testing.assert_allclose(histogram["width"], np.diff(edges))
        assert (histogram["min"], histogram["max"]) == (array.min(), array.max())
        assert histogram["sum"] == pytest.approx(array.sum())


def test_what_is_not_finite_is_counted(client: Client, written: Path, number_of: Callable[[str], int]) -> None:
    (first, *_) = answer(client, f"{PATH}?series={number_of('b')}")["histograms"]
    assert (first["nan_count"], first["pos_inf_count"], first["neg_inf_count"]) == (1, 2, 1)
    assert (sum(first["count"]), first["min"], first["max"]) == (2, 1.0, 2.0)


@pytest.mark.parametrize(
    ("at_most", "steps"), [(2, [0, 100]), (3, [0, 50, 100]), (11, list(range(0, 101, 10))), (101, list(range(101)))]
)
def test_histograms_are_chosen_evenly(
    client: Client, written: Path, number_of: Callable[[str], int], at_most: int, steps: list[int]
) -> None:
    body = answer(client, f"{PATH}?series={number_of('w')}&at_most={at_most}")
    assert [histogram["step"] for histogram in body["histograms"]] == steps
    assert body["total"] == 101


@pytest.mark.parametrize(("asked", "steps"), [(-1, []), (0, [0]), (9, [0]), (10, [10]), (19, [10]), (1000, [20])])
def test_the_nearest_earlier_histogram_answers_for_a_step(
    client: Client, written: Path, number_of: Callable[[str], int], asked: int, steps: list[int]
) -> None:
    body = answer(client, f"{PATH}?series={number_of('b')}&at_most=2&step={asked}")
    assert [histogram["step"] for histogram in body["histograms"]] == steps
    assert body["total"] == 3


def test_answers_for_different_steps_have_different_etags(
    client: Client, written: Path, number_of: Callable[[str], int]
) -> None:
    path = f"{PATH}?series={number_of('b')}"
    etags = {client.get(path + rest).headers["ETag"] for rest in ("", "&step=0", "&step=10")}
    assert len(etags) == 3


def test_an_answer_is_not_sent_twice(client: Client, written: Path, number_of: Callable[[str], int]) -> None:
    path = f"{PATH}?series={number_of('w')}"
    etag = client.get(path)["etag"]
    assert etag.startswith('"')
    assert client.get(path, headers={"if-none-match": etag}).status_code == 304
    assert client.get(path + "&at_most=7", headers={"if-none-match": etag}).status_code == 200
    written.unlink()
    assert client.get(path, headers={"if-none-match": etag}).status_code == 304
    assert not client.get(path).has_header("etag")


def test_a_damaged_record_costs_only_its_histogram(
    client: Client, written: Path, environment: Environment, number_of: Callable[[str], int]
) -> None:
    data = bytearray(written.read_bytes())
    records = payloads(written)
    offset = sum(len(payload) + 16 for payload in records[:2])  # The second histogram: the first record is the version.
    data[offset + 40] ^= 1
    written.chmod(0o600)
    written.write_bytes(data)
    first, second, third = answer(client, f"{PATH}?series={number_of('w')}&at_most=101")["histograms"][:3]
    assert first["error"] is third["error"] is None
    assert (second["step"], second["left"], second["count"], second["min"]) == (1, [], [], None)
    assert second["error"]["code"] == "record_damaged"
    file = str(written.relative_to(environment.base_directory))
    assert second["error"]["detail"] == {"file": file, "offset": offset}
    assert file in second["error"]["message"]
    assert str(offset) in second["error"]["message"]
    assert str(environment.base_directory) not in second["error"]["message"]


def test_a_file_that_is_gone(client: Client, written: Path, number_of: Callable[[str], int]) -> None:
    written.unlink()
    histograms = answer(client, f"{PATH}?series={number_of('b')}")["histograms"]
    assert [histogram["error"]["code"] for histogram in histograms] == ["file_gone"] * 3


def test_a_file_that_was_cut_off(client: Client, written: Path, number_of: Callable[[str], int]) -> None:
    written.chmod(0o600)
    written.write_bytes(written.read_bytes()[:-10])
    histograms = answer(client, f"{PATH}?series={number_of('b')}")["histograms"]
    assert [histogram["error"] is None for histogram in histograms] == [True, True, False]


@pytest.mark.parametrize(
    ("query", "code", "status"),
    [
        ("", "bad_parameter", 400),
        ("?series=x", "bad_parameter", 400),
        ("?series=1&at_most=1", "bad_parameter", 400),
        ("?series=1&at_most=501", "bad_parameter", 400),
        ("?series=99999999999", "bad_parameter", 400),
        ("?series=987654", "unknown_series", 404),
    ],
)
def test_wrong_questions(client: Client, take: Take, query: str, code: str, status: int) -> None:
    body = answer(client, PATH + query, status)
    assert body["code"] == code


def test_a_series_of_another_kind_is_none(client: Client, environment: Environment, take: Take) -> None:
    with SummaryWriter(environment.base_directory / "a", environment=False) as writer:
        writer.add_text("note", "x")
    assert writer.path is not None
    take(writer.path)
    number = Series.objects.get().pk
    assert answer(client, f"{PATH}?series={number}", 404)["code"] == "unknown_series"


def _copy(real: Path, environment: Environment) -> Path:
    target = environment.base_directory / real.parent.name / real.name
    target.parent.mkdir()
    shutil.copy(real, target)
    return target


def test_real_files_of_mindspore(
    client: Client, environment: Environment, take: Take, real_files: Path, number_of: Callable[[str], int]
) -> None:
    (real,) = (real_files / "mindspore" / "lenet" / "adam_lr001_b32").glob("*_MS")
    take(_copy(real, environment))
    events = [Event.FromString(payload) for payload in payloads(real)]
    expected: dict[str, list[tuple[int, Any]]] = {}
    for event in events:
        for value in event.summary.value:
            if value.HasField("histogram"):
                expected.setdefault(value.tag, []).append((event.step, value.histogram))
    assert len(expected) == 8
    for tag, rows in expected.items():
        shown = answer(client, f"{PATH}?series={number_of(tag)}&at_most=500")["histograms"]
        assert [row["step"] for row in shown] == [step for step, _ in rows]
        for row, (_, histogram) in zip(shown, rows, strict=True):
            assert row["left"] == [bucket.left for bucket in histogram.buckets]
            assert row["width"] == [bucket.width for bucket in histogram.buckets]
            assert row["count"] == [bucket.count for bucket in histogram.buckets]
            assert (row["min"], row["max"], row["sum"]) == (histogram.min, histogram.max, histogram.sum)
            assert row["error"] is None


@pytest.mark.parametrize("run", ["adam_lr0.001", "sgd_lr5_diverges"])
def test_real_files_of_pytorch(
    client: Client,
    environment: Environment,
    take: Take,
    real_files: Path,
    number_of: Callable[[str], int],
    run: str,
) -> None:
    (real,) = (real_files / "tensorboard" / run).glob("events.*")
    take(_copy(real, environment))
    expected: dict[str, list[Any]] = {}
    for payload in payloads(real):
        for value in TensorBoardEvent.FromString(payload).summary.value:
            if value.HasField("histo"):
                expected.setdefault(value.tag, []).append(value.histo)
    assert sum(map(len, expected.values())) == 216
    for tag, rows in expected.items():
        shown = answer(client, f"{PATH}?series={number_of(tag)}&at_most=500")["histograms"]
        for row, histogram in zip(shown, rows, strict=True):
            assert row["error"] is None
            assert sum(row["count"]) == histogram.num
            assert (row["min"], row["max"], row["sum"]) == (histogram.min, histogram.max, histogram.sum)
            assert row["left"][0] == histogram.min
            assert row["left"][-1] + row["width"][-1] == pytest.approx(histogram.max)
            # The count up to each limit is the same, however the buckets are described.
            at = dict(zip(histogram.bucket_limit, np.cumsum(histogram.bucket), strict=True))
            right = np.add(row["left"], row["width"])[:-1]
            sums = np.cumsum(row["count"])[:-1]
            limits = np.array(list(at))
            nearest = limits[np.abs(limits[:, None] - right).argmin(0)] if len(right) else np.empty(0)
            np.testing.assert_allclose(right, nearest)
            assert sums.tolist() == [at[limit] for limit in nearest]
