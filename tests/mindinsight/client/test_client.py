"""Curves and histograms, joined from series of several files and segments."""

from __future__ import annotations

import math
from typing import Any

import pytest

from mindinsight.client import Client, ClientError
from tests.mindinsight.client.conftest import FakeDashboard, frame, run_row, series_row

TAGS = "/api/scalars/tags"
RAW = "/api/scalars/raw?series={}&format=binary"


def serve(fake: FakeDashboard, series: dict[int, dict[str, Any]], steps: dict[int, list[int]], **run: Any) -> Client:
    """A dashboard with one run `a` whose series have these steps; values are the series' number."""
    fake.answers["/api/runs/details"] = {"runs": [run_row("a", **run)]}
    fake.answers[TAGS] = {"tags": [{"name": "loss", "series": [series_row(n, **row) for n, row in series.items()]}]}
    for number, its_steps in steps.items():
        fake.answers[RAW.format(number)] = frame(its_steps, [number] * len(its_steps))
    return Client(fake.address)


def segment(number: int, first_step: int) -> dict[str, Any]:
    return {"number": number, "first_step": first_step, "last_step": 99, "first_wall": 1.0}


def test_files_that_go_on_from_each_other(fake: FakeDashboard) -> None:
    client = serve(fake, {5: {"first_step": 10}, 6: {"first_step": 0}}, {5: [10, 11], 6: [0, 9]})
    curve = client.scalars("loss")["a"]
    assert curve.step.tolist() == [0, 9, 10, 11]
    assert curve.value.tolist() == [6, 6, 5, 5]
    assert curve.wall_time.tolist() == [0.5, 9.5, 10.5, 11.5]
    assert curve.segment.tolist() == [0, 0, 0, 0]
    assert repr(curve) == "<Curve 'loss' of 'a': 4 points, steps 0 to 11>"


RESTARTED = (
    {1: {"segment": 0}, 2: {"segment": 1, "first_step": 6}, 3: {"segment": 2, "first_step": 4}},
    {1: [0, 2, 4, 6, 8], 2: [6, 8], 3: [4, 7]},
)


def test_the_newest_segment_wins(fake: FakeDashboard) -> None:
    curve = serve(fake, *RESTARTED).scalars("loss")["a"]
    assert curve.step.tolist() == [0, 2, 4, 7]
    assert curve.segment.tolist() == [0, 0, 2, 2]


def test_a_segment_begins_where_the_run_says(fake: FakeDashboard) -> None:
    client = serve(fake, *RESTARTED, segments=[segment(0, 0), segment(1, 5), segment(2, 2)])
    assert client.scalars("loss")["a"].step.tolist() == [0, 4, 7]


@pytest.mark.parametrize(("chosen", "steps"), [(0, [0, 2, 4, 6, 8]), (1, [6, 8]), (2, [4, 7]), (3, [])])
def test_one_segment(fake: FakeDashboard, chosen: int, steps: list[int]) -> None:
    assert serve(fake, *RESTARTED).scalars("loss", segment=chosen)["a"].step.tolist() == steps


def test_all_segments(fake: FakeDashboard) -> None:
    curve = serve(fake, *RESTARTED).scalars("loss", superseded=True)["a"]
    assert curve.step.tolist() == [0, 2, 4, 6, 8, 6, 8, 4, 7]
    assert curve.segment.tolist() == [0] * 5 + [1] * 2 + [2] * 2


@pytest.fixture
def several(fake: FakeDashboard) -> Client:
    """Three runs, two of which have the tag."""
    names = ("lenet/a", "lenet/b[1]", "bert")
    fake.answers["/api/runs/details"] = {"runs": [run_row(name, number) for number, name in enumerate(names, 1)]}
    rows = [series_row(11, run=1), series_row(12, run=2)]
    fake.answers[TAGS] = {"tags": [{"name": "loss", "series": rows}, {"name": "Lr", "series": []}]}
    for number in (11, 12):
        fake.answers[RAW.format(number)] = frame([1, 2], [number, math.nan], dtype=2)
    return Client(fake.address)


def test_runs_by_pattern_by_name_and_as_they_are(several: Client) -> None:
    assert set(several.scalars("loss")) == {"lenet/a", "lenet/b[1]"}
    assert set(several.scalars("loss", "lenet/a")) == {"lenet/a"}
    assert set(several.scalars("loss", "lenet/b[1]")) == {"lenet/b[1]"}
    assert set(several.scalars("loss", ["bert", "*/a"])) == {"lenet/a"}
    found = several.runs("lenet/*")
    assert set(several.scalars("loss", found)) == {"lenet/a", "lenet/b[1]"}
    assert set(several.scalars("loss", found[0])) == {"lenet/a"}
    assert set(several.scalars("loss", [found[0], "lenet/*"])) == {"lenet/a", "lenet/b[1]"}


def test_runs_that_are_known_are_not_asked_for_again(several: Client, fake: FakeDashboard) -> None:
    found = several.runs("lenet/a")
    fake.asked.clear()
    several.scalars("loss", found)
    assert fake.asked == [f"{TAGS}?runs=1", RAW.format(11)]


@pytest.mark.parametrize(
    ("tag", "runs", "hint"),
    [
        ("los", None, "no scalar tag 'los'. Perhaps 'loss'"),
        ("lr", None, "'Lr'"),
        ("zzz", None, "There are 'Lr', 'loss'"),
        ("loss", "bert", "no scalar tag 'loss'"),
        ("loss", "lenet/c", "no run 'lenet/c'. Perhaps 'lenet/a'"),
        ("loss", "zzz*", "no run"),
    ],
)
def test_unknown_names(several: Client, tag: str, runs: str | None, hint: str) -> None:
    with pytest.raises(ClientError, match=hint.replace("*", r"\*")):
        several.scalars(tag, runs)


def test_broken_frames(several: Client, fake: FakeDashboard) -> None:
    fake.answers[RAW.format(11)] = frame([1], [1])[:-1]
    with pytest.raises(ClientError, match="does not know"):
        several.scalars("loss")


def test_a_tidy_data_frame(several: Client) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = several.scalars("loss", pandas=True)
    assert frame.columns.tolist() == ["run", "tag", "segment", "step", "wall_time", "value"]
    assert frame["run"].tolist() == ["lenet/a", "lenet/a", "lenet/b[1]", "lenet/b[1]"]
    assert frame["tag"].unique().tolist() == ["loss"]
    assert frame["step"].tolist() == [1, 2, 1, 2]
    assert frame.groupby("run", observed=True)["value"].max().tolist() == [11, 12]


def test_a_data_frame_without_pandas(several: Client, fake: FakeDashboard, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("mindinsight.client.dataframes.import_module", missing)
    with pytest.raises(ClientError, match="pip install pandas"):
        several.scalars("loss", pandas=True)
    assert fake.asked == []


def histogram(step: int, error: str | None = None) -> dict[str, Any]:
    shape = {"left": [0.0, 1.0], "width": [1.0, 2.0], "count": [3, 4], "min": 0.5, "max": "Infinity", "sum": None}
    counts = {"nan_count": 1, "pos_inf_count": 0, "neg_inf_count": 0}
    problem = error and {"code": "file_gone", "message": error, "detail": {}}
    return {"step": step, "wall_time": step + 0.5, **shape, **counts, "error": problem}


def serve_histograms(fake: FakeDashboard, of_series: dict[int, list[dict[str, Any]]]) -> Client:
    fake.answers["/api/runs/details"] = {"runs": [run_row("a")]}
    rows = [
        series_row(number, segment=segment, first_step=found[0]["step"])
        for segment, (number, found) in enumerate(of_series.items())
    ]
    fake.answers["/api/distributions/tags"] = {"tags": [{"name": "w", "series": rows}]}
    for number, found in of_series.items():
        for at_most in (50, 3):
            path = f"/api/distributions/histograms?series={number}&at_most={at_most}"
            fake.answers[path] = {"series": number, "histograms": found}
    return Client(fake.address)


def test_histograms(fake: FakeDashboard) -> None:
    client = serve_histograms(fake, {4: [histogram(0), histogram(10)]})
    first, second = client.histograms("w", "a")
    assert (first.step, second.step, first.wall_time) == (0, 10, 0.5)
    assert first.left.tolist() == [0, 1]
    assert first.edges.tolist() == [0, 1, 3]
    assert first.count.tolist() == [3, 4]
    assert (first.min, first.max, first.nan_count) == (0.5, math.inf, 1)
    assert math.isnan(first.sum)
    assert repr(first) == "<Histogram at step 0: 2 buckets, 7 elements>"


def test_histograms_of_segments(fake: FakeDashboard) -> None:
    client = serve_histograms(
        fake, {4: [histogram(0), histogram(10), histogram(20)], 5: [histogram(10), histogram(11)]}
    )
    assert [(found.step, found.segment) for found in client.histograms("w", "a")] == [(0, 0), (10, 1), (11, 1)]
    assert [found.step for found in client.histograms("w", "a", superseded=True)] == [0, 10, 20, 10, 11]
    assert [found.step for found in client.histograms("w", "a", at_most=3, superseded=True)] == [0, 20, 11]
    assert [found.step for found in client.histograms("w", client.runs()[0], segment=0)] == [0, 10, 20]


def test_a_histogram_that_is_gone(fake: FakeDashboard) -> None:
    client = serve_histograms(fake, {4: [histogram(0), histogram(10, error="The file x is gone.")]})
    with pytest.warns(UserWarning, match=r"step 10 is missing: The file x is gone\.") as caught:
        found = client.histograms("w", "a")
    assert [one.step for one in found] == [0]
    assert caught[0].filename == __file__


def test_histograms_of_unknown_names(fake: FakeDashboard) -> None:
    client = serve_histograms(fake, {4: [histogram(0)]})
    with pytest.raises(ClientError, match="no histogram tag 'v'"):
        client.histograms("v", "a")
    with pytest.raises(ClientError, match="no run 'b'"):
        client.histograms("w", "b")
