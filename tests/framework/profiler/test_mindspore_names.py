"""MindSpore's names: which steps a schedule chooses, and programs of its documents, unchanged."""

import csv
import json
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, alias, ops
from framework.profiler import Profiler, ProfilerAction, schedule
from framework.profiler.record import read_record_file
from framework.tracing import RECORDER

pytestmark = pytest.mark.fast_path
PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture
def _as_mindspore(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    alias.install()
    yield
    alias.uninstall()
    ms.set_context(mode=ms.PYNATIVE_MODE)


def _calls(path: Path) -> dict[str, int]:
    with path.open() as file:
        return {row["full_name"]: int(row["calls"]) for row in csv.DictReader(file)}


@pytest.mark.usefixtures("_as_mindspore")
def test_a_program_with_a_schedule(tmp_path: Path) -> None:
    runpy.run_path(str(PROGRAMS / "with_a_schedule.py"), run_name="__main__")
    # Steps 0 is left out; of each cycle of four steps, the last two are captured: 3 and 4, then 7 and 8.
    captures = sorted((tmp_path / "data").glob("profile_*.columns"))
    assert [path.name for path in captures] == ["profile_3_0.columns", "profile_7_0.columns"]
    assert _calls(tmp_path / "data" / "operators.csv")["MatMul"] == 2 * 2 * 2
    assert len(list((tmp_path / "data").glob("*.trace.json.gz"))) == 2


@pytest.mark.usefixtures("_as_mindspore")
def test_a_program_that_starts_and_stops_at_steps(tmp_path: Path) -> None:
    runpy.run_path(str(PROGRAMS / "at_steps.py"), run_name="__main__")
    assert _calls(tmp_path / "data_step" / "operators.csv")["MatMul"] == 6
    record = read_record_file(tmp_path / "data_step" / "profile_0_0.columns")
    assert [step.step for step in record.steps] == [3, 4, 5, 6, 7]  # the eighth step ends after the stop


def test_a_schedule_repeats_its_cycle() -> None:
    chosen = schedule(wait=2, warmup=1, active=2, repeat=2, skip_first=3)
    letters = {"NONE": ".", "WARM_UP": "w", "RECORD": "r", "RECORD_AND_SAVE": "s"}
    assert "".join(letters[chosen(step).name] for step in range(16)) == ".....wrs..wrs..."
    assert schedule(wait=0, active=1)(1000) is ProfilerAction.RECORD_AND_SAVE


@pytest.mark.parametrize("given", [{"wait": -1, "active": 1}, {"wait": 1, "active": 0}, {"wait": 0, "active": True}])
def test_a_schedule_needs_numbers_of_steps(given: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError), match=r"wait|active"):
        schedule(**given)


def test_what_is_wrong_is_told(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="no argument whatever"):
        Profiler(tmp_path, whatever=1)
    with pytest.raises(ValueError, match="mode must be"):
        Profiler(tmp_path, mode="other")
    with pytest.raises(ValueError, match="no capture"):
        ms.profiler.analyse(tmp_path)
    profiler = Profiler(tmp_path, start_profile=False)
    for call in (profiler.stop, profiler.step):
        with pytest.raises(RuntimeError, match="the profiler is not started"):
            call()
    with profiler, pytest.raises(RuntimeError, match="a capture is on already"):
        Profiler(tmp_path)
    assert not RECORDER.is_on


def test_sums_by_type_and_notes_in_the_timeline(tmp_path: Path) -> None:
    profiler = Profiler(tmp_path, with_stack=True)
    profiler.add_metadata("who", "me")
    profiler.add_metadata_json("what", '{"a": 1}')
    with pytest.raises(ValueError, match="Expecting value"):
        profiler.add_metadata_json("what", "nothing")
    ops.tanh(Tensor(np.ones(3, np.float32)))
    profiler.stop()
    ((operator,),) = json.loads(profiler.op_analyse(["Tanh"])).values()
    assert (operator["op_type"], operator["calls"]) == ("Tanh", 1)
    (site,) = read_record_file(profiler.captures[0]).sites
    assert site.line.startswith(__file__)
