"""Views for plots: rows of all steps, cells of values, what is known of each row, against the elements themselves."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client

from mindinsight.distributions.views import COLUMNS
from mindinsight.environment import Environment
from mindinsight.runs.models import Series
from summaries import SummaryWriter
from tests.mindinsight.distributions.conftest import Take
from tests.mindinsight.published import answer

PATH = "/api/distributions/view"
NumberOf = Callable[[str], int]


class Frame:
    """A view as a client reads it from the bytes."""

    def __init__(self, data: bytes) -> None:
        version, kind, dtype, flags, self.run, self.series, size, self.first, self.end, _ = struct.unpack_from(
            "<BBBBIIIQQd", data
        )
        assert (version, kind, dtype, flags, len(data)) == (1, 4, 2, 0, 40 + size + -size % 8)
        self.linear_below, self.low, self.high, rows, columns, cells, self.unreadable, steps, _ = struct.unpack_from(
            "<dddIIIIII", data, 40
        )
        assert columns == len(COLUMNS)
        table = np.frombuffer(data, "<f8", rows * columns, 88).reshape(columns, rows)
        self.columns = dict(zip(COLUMNS, table, strict=True))
        self.steps = np.frombuffer(data, "<f8", steps, 88 + table.nbytes).tolist()
        self.counts = np.frombuffer(data, "<f4", rows * cells, 88 + table.nbytes + 8 * steps).reshape(rows, cells)

    def __getitem__(self, name: str) -> Any:
        return self.columns[name].tolist()


def view(client: Client, of: object, **more: object) -> Frame:
    query = "".join(f"&{name}={value}" for name, value in more.items())
    response = client.get(f"{PATH}?of={of}{query}")
    assert response.status_code == 200, response.content
    assert response["content-type"] == "application/octet-stream"
    return Frame(response.content)


def elements(step: int) -> Any:
    return np.random.default_rng(step).normal(0.1 * step, 1 + step, 1000)


@pytest.fixture
def written(environment: Environment, take: Take) -> Path:
    """A file with eleven histograms of `w`, steps 0 to 100."""
    with SummaryWriter(environment.base_directory / "a") as writer:
        for step in range(0, 101, 10):
            writer.add_histogram("w", elements(step), step, walltime=100.0 + step)
    assert writer.path is not None
    take(writer.path)
    return writer.path


def test_each_step_has_a_row_while_there_is_room(client: Client, written: Path, number_of: NumberOf) -> None:
    found = view(client, number_of("w"), rows=11, cells=50, axis="linear")
    assert found["first_step"] == found["last_step"] == list(range(0, 101, 10))
    assert found["histograms"] == [1.0] * 11
    assert (found.end, found.unreadable, found.linear_below) == (11, 0, 0.0)
    arrays = [elements(step) for step in range(0, 101, 10)]
    assert (found.low, found.high) == (min(map(np.min, arrays)), pytest.approx(max(map(np.max, arrays))))
    for at, array in enumerate(arrays):
        wide = np.ptp(array) / 90
        assert found["min"][at], found["max"][at] == (array.min(), array.max())
        assert found["mean"][at] == pytest.approx(array.mean())
        assert found["std"][at] == pytest.approx(array.std(), rel=0.01)
        for level in (5, 25, 50, 75, 95):
            assert found[f"p{level}"][at] == pytest.approx(np.percentile(array, level), abs=wide)
        assert found.counts[at].sum() == pytest.approx(1000, rel=1e-5)
        # A cell has what lies in it, but for the buckets that its edges cut.
        direct, _ = np.histogram(array, np.linspace(found.low, found.high, 51))
        assert np.abs(np.cumsum(found.counts[at]) - np.cumsum(direct)).max() < 60


@pytest.mark.parametrize(("rows", "together"), [(10, 2), (6, 2), (5, 4), (1, 16)])
def test_more_steps_are_put_together_and_none_is_lost(
    client: Client, written: Path, number_of: NumberOf, rows: int, together: int
) -> None:
    found = view(client, number_of("w"), rows=rows, cells=8)
    steps = list(range(0, 101, 10))
    parts = [steps[at : at + together] for at in range(0, 11, together)]
    assert found["first_step"] == [part[0] for part in parts]
    assert found["last_step"] == [part[-1] for part in parts]
    assert found["finite"] == [1000.0 * len(part) for part in parts]
    assert found.steps == []
    assert view(client, number_of("w"), rows=rows, cells=8, steps="true").steps == steps
    assert (found.counts.sum(axis=1) + found["spike"]).tolist() == pytest.approx(found["finite"], rel=1e-5)
    for at, part in enumerate(parts):
        array = np.concatenate([elements(step) for step in part])
        assert found["mean"][at] == pytest.approx(array.mean())
        assert found["std"][at] == pytest.approx(array.std(), rel=0.01)
        for level in (5, 25, 50, 75, 95):
            assert found[f"p{level}"][at] == pytest.approx(np.percentile(array, level), abs=0.05 * array.std())


def test_rows_stay_while_a_run_grows(client: Client, environment: Environment, take: Take) -> None:
    firsts = []
    for count in (9, 12, 16):
        with SummaryWriter(environment.base_directory / f"r{count}") as writer:
            for step in range(count):
                writer.add_histogram(f"w{count}", [1.0, 2.0, 3.0], step)
        assert writer.path is not None
        take(writer.path)
        number = Series.objects.get(tag=f"w{count}").pk
        firsts.append(view(client, number, rows=8)["first_step"])
    assert firsts[2][:5] == firsts[0]
    assert firsts[2][:6] == firsts[1]


def test_a_line_of_several_series(client: Client, environment: Environment, take: Take) -> None:
    numbers = []
    for name, steps in (("a", (0, 10, 20, 30)), ("b", (20, 30, 40))):
        with SummaryWriter(environment.base_directory / name, environment=False) as writer:
            for step in steps:
                writer.add_histogram("w", [float(len(name)), 2.0, 5.0], step)
        assert writer.path is not None
        take(writer.path)
        numbers.append(Series.objects.get(run__name=name).pk)
    cut = view(client, f"{numbers[0]}:20,{numbers[1]}")
    assert (cut["first_step"], cut["finite"]) == ([0.0, 10.0, 20.0, 30.0, 40.0], [3.0] * 5)
    both = view(client, f"{numbers[0]},{numbers[1]}")
    assert (both["first_step"], both["histograms"]) == ([0.0, 10.0, 20.0, 30.0, 40.0], [1.0, 1.0, 2.0, 2.0, 1.0])
    assert both["finite"] == [3.0, 3.0, 6.0, 6.0, 3.0]


def test_gradients_get_a_logarithmic_axis(client: Client, environment: Environment, take: Take) -> None:
    random = np.random.default_rng(0)
    gradient = random.normal(size=5000) * 10.0 ** random.normal(-4, 1.2, 5000)
    with SummaryWriter(environment.base_directory / "a") as writer:
        writer.add_histogram("grad", gradient, 0)
        writer.add_histogram("even", random.uniform(-1, 1, 5000), 0)
    assert writer.path is not None
    take(writer.path)
    grad, even = (Series.objects.get(tag=tag).pk for tag in ("grad", "even"))
    assert view(client, grad).linear_below > 0
    assert view(client, even).linear_below == 0
    assert view(client, grad, axis="linear").linear_below == 0
    found = view(client, even, axis="symlog", cells=101)
    low, high = (float(np.sign(x) * np.log10(1 + abs(x) / found.linear_below)) for x in (found.low, found.high))
    wanted = np.linspace(low, high, 102)
    edges = np.sign(wanted) * (10 ** np.abs(wanted) - 1) * found.linear_below
    direct = 5000 * np.diff(edges) / (found.high - found.low)
    np.testing.assert_allclose(found.counts[0], direct, atol=4 * np.sqrt(direct.max()))


def test_zeros_are_a_spike_of_their_own(client: Client, environment: Environment, take: Take) -> None:
    values = np.concatenate([np.zeros(700), np.random.default_rng(0).normal(0, 1, 300)])
    with SummaryWriter(environment.base_directory / "a") as writer:
        writer.add_histogram("dead", values, 0, bins=90)
        writer.add_histogram("none", [1.0, 2.0, 3.0], 0)
    assert writer.path is not None
    take(writer.path)
    dead, none = (view(client, Series.objects.get(tag=tag).pk, axis="linear") for tag in ("dead", "none"))
    assert 700 <= dead["zero"][0] < 730
    assert dead["spike"] == dead["zero"]
    assert dead["zero_width"][0] == pytest.approx(np.ptp(values) / 90)
    assert dead.counts.sum() == pytest.approx(1000 - dead["spike"][0], rel=1e-5)
    assert (none["zero"], none["spike"]) == ([0.0], [0.0])


def test_what_is_not_finite_stays_apart(client: Client, environment: Environment, take: Take) -> None:
    with SummaryWriter(environment.base_directory / "a") as writer:
        writer.add_histogram("b", [1.0, 2.0, np.nan, np.inf, -np.inf, np.inf], 0)
        writer.add_histogram("n", [np.nan], 0)
        writer.add_histogram("huge", [-1.7e308, 1.7e308], 0)
    assert writer.path is not None
    take(writer.path)
    b, n, huge = (view(client, Series.objects.get(tag=tag).pk) for tag in ("b", "n", "huge"))
    assert (b["nan"], b["pos_inf"], b["neg_inf"], b["finite"]) == ([1.0], [2.0], [1.0], [2.0])
    assert (n["nan"], n["finite"], n.counts.sum()) == ([1.0], [0.0], 0.0)
    assert np.isnan(n["p50"][0])
    assert np.isnan(n["min"][0])
    assert np.isfinite(huge.counts).all()


def test_what_cannot_be_read_is_counted(client: Client, written: Path, number_of: NumberOf) -> None:
    written.chmod(0o600)
    written.write_bytes(written.read_bytes()[:-10])
    path = f"{PATH}?of={number_of('w')}&cells=1"
    response = client.get(path)
    found = Frame(response.content)
    assert (found.unreadable, found.end, found["last_step"][-1]) == (1, 11, 90.0)
    assert not response.has_header("etag")


def test_an_answer_is_not_sent_twice(client: Client, written: Path, number_of: NumberOf) -> None:
    path = f"{PATH}?of={number_of('w')}"
    etag = client.get(path)["etag"]
    assert client.get(path, headers={"if-none-match": etag}).status_code == 304
    assert client.get(f"{path}&axis=symlog", headers={"if-none-match": etag}).status_code == 200


@pytest.mark.parametrize(
    ("query", "code", "status"),
    [
        ("", "bad_parameter", 400),
        ("?of=x", "bad_parameter", 400),
        ("?of=1:", "bad_parameter", 400),
        ("?of=1:--5", "bad_parameter", 400),
        ("?of=99999999999", "unknown_series", 404),
        ("?of=1&rows=0", "bad_parameter", 400),
        ("?of=1&axis=round", "bad_parameter", 400),
        ("?of=987654", "unknown_series", 404),
    ],
)
def test_wrong_questions(client: Client, take: Take, query: str, code: str, status: int) -> None:
    response = client.get(PATH + query)
    assert (response.status_code, response.json()["code"]) == (status, code)


def test_measures(client: Client, environment: Environment, take: Take) -> None:
    with SummaryWriter(environment.base_directory / "a") as writer:
        for step in (0, 1):
            writer.add_histogram("still", [1.0, 2.0, 3.0], step)
            writer.add_histogram("moves", [1.0 + step, 2.0 + step], step, bins=[1.0 + step, 1.5 + step, 2.0 + step])
            writer.add_histogram("lost", [np.nan], step)
    assert writer.path is not None
    run = take(writer.path)
    rows = {row["series"]: row for row in answer(client, f"/api/distributions/measures?runs={run.pk}")["measures"]}
    still, moves, lost = (rows[Series.objects.get(tag=tag).pk] for tag in ("still", "moves", "lost"))
    assert (still["ks"], still["wasserstein"], still["max_abs"], still["at_zero"]) == (0.0, 0.0, 3.0, 0.0)
    assert (moves["ks"], moves["wasserstein"]) == (pytest.approx(1.0), pytest.approx(1.0))
    assert (lost["ks"], lost["max_abs"], lost["not_finite"]) == (None, None, 1)
    assert answer(client, f"/api/distributions/measures?runs={run.pk + 1}")["measures"] == []
