"""What is called better, met and missed."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from benchmarks.measuring.figures import Figure, Measurement, Options, number, quantile, run, table
from benchmarks.measuring.painting import delays_of

pytestmark = pytest.mark.smoke


def test_less_is_better_unless_said_otherwise() -> None:
    start = Figure("start", "start", "s", ours=0.5, target=1.5, peer=4.0, peer_name="peer")
    assert (start.ratio, start.ok) == (8.0, True)
    speed = Figure("speed", "speed", "events/s", ours=2e6, target=3e6, peer=4e6, more_is_better=True)
    assert (speed.ratio, speed.ok) == (0.5, False)


def test_a_figure_without_peer_and_target_is_only_a_number() -> None:
    figure = Figure("weight", "weight", "MB", 145.04)
    assert json.loads(figure.to_json()) == {
        "figure": "weight",
        "what": "weight",
        "unit": "MB",
        "ours": 145.0,
        "peer": None,
        "peer_name": "",
        "peer_recorded": False,
        "peer_missing": "",
        "ratio": None,
        "target": None,
        "ok": True,
    }


def test_the_table_says_what_was_missed_and_what_was_recorded() -> None:
    text = table([Figure("a", "b", "s", 2.0, 1.5, 3.2, "peer 1.0", peer_recorded=True)])
    assert "MISSED" in text
    assert "3.2 s (peer 1.0, recorded)" in text


def test_a_peer_that_did_not_finish_is_neither_better_nor_worse() -> None:
    figure = Figure("a", "b", "s", 2.0, peer=float("nan"), peer_name="peer 1.0, did not finish in 60 s")
    assert figure.ratio is None
    assert "not done (peer 1.0, did not finish in 60 s)" in table([figure])


def test_who_did_not_finish_is_named_with_the_reason() -> None:
    slow = Figure("a", "b", "s", 2.0, peer_name="peer 1.0", peer_missing="did not finish in 150 s")
    assert "did not finish in 150 s (peer 1.0)" in table([slow])
    assert "not done s" in table([Figure("a", "b", "s", float("nan"), 1.0)])


def test_one_figure_of_several_can_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    def measure(options: Options) -> list[Figure]:
        return [Figure("a", "a", "s", 1.0), Figure("b", "b", "s", 2.0)]

    measured: dict[Measurement, Sequence[str]] = {measure: ("a", "b")}
    assert run("title", measured, ["--only", "b", "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["ours"] == 2.0


def test_a_group_of_figures_can_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    def measure(options: Options) -> list[Figure]:
        return [Figure("a/x", "a", "s", 1.0), Figure("a/y", "a", "s", 2.0), Figure("b", "b", "s", 3.0)]

    assert run("title", {measure: ("a", "b")}, ["--only", "a", "--json"]) == 0
    assert [json.loads(line)["ours"] for line in capsys.readouterr().out.splitlines()] == [1.0, 2.0]


def test_numbers_have_three_digits() -> None:
    assert [number(value) for value in (0.04567, 12.345, 24_800.0)] == ["0.0457", "12.3", "24,800"]
    assert quantile(range(1, 101), 0.95) == 96


def test_every_point_gets_the_time_of_the_first_picture_that_has_it() -> None:
    flushed = {"run": [1.0, 1.1, 1.2, 1.3]}
    # Step 0 is painted alone, 1 and 2 together; 3 never. Painting the same again adds nothing.
    notes = [(7, 0, 1050.0), (7, 2, 1250.0), (7, 2, 1900.0)]
    delays, share = delays_of(notes, {7: "run"}, flushed, began=1.0, ended=2.0)
    assert delays == pytest.approx([50, 150, 50])
    assert share == 0.75


def test_points_outside_the_window_do_not_count() -> None:
    delays, share = delays_of([(7, 2, 5000.0)], {7: "run"}, {"run": [1.0, 2.0, 3.0]}, began=1.5, ended=2.5)
    assert (delays, share) == ([3000.0], 1.0)
