"""The course through the training core: its files exist and contain the named objects; each exercise runs as a
program."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "architecture" / "reading.md"
STATIONS = re.split(r"^## \d+\. ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
TITLES = [station.partition("\n")[0] for station in STATIONS]
ROW = re.compile(r"^\| `([^`]+/[^`]+\.(?:py|c))` \| (.*) \|$", re.MULTILINE)
#: Stations whose exercise looks at a fast path itself, which MS_PLAIN leaves out.
OF_FAST_PATHS = ("Code generation",)
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
stations = pytest.mark.parametrize("station", STATIONS, ids=TITLES)


def test_the_course_has_its_stations() -> None:
    numbers = re.findall(r"^## (\d+)\. ", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [int(number) for number in numbers] == list(range(1, 15))


@stations
def test_the_files_hold_the_names_to_look_for(station: str) -> None:
    rows = ROW.findall(station)
    assert rows
    for path, look_for in rows:
        file = ROOT / path
        assert file.is_file(), f"{path} has moved: name its new place on the page"
        words = set(re.findall(r"\w+", file.read_text(encoding="utf-8")))
        for name in re.findall(r"`([\w.]+)`", look_for):
            missing = set(name.split(".")) - words
            assert not missing, f"{path} has no {name}"


@pytest.mark.parametrize(
    "station",
    [
        pytest.param(station, id=title, marks=[pytest.mark.fast_path] if title in OF_FAST_PATHS else [])
        for station, title in zip(STATIONS, TITLES, strict=True)
    ],
)
def test_the_exercise_runs_alone(station: str, tmp_path: Path) -> None:
    (exercise,) = BLOCK.findall(station)
    file = tmp_path / "exercise.py"
    file.write_text(exercise, encoding="utf-8")
    runpy.run_path(str(file), run_name="__main__")


@stations
def test_every_exercise_asserts_and_asks(station: str) -> None:
    (exercise,) = BLOCK.findall(station)
    assert "assert" in exercise
    assert station.count("**Question.**") == station.count("<summary>Answer</summary>") == 1
