"""The page about the dashboard's code: its files exist and contain the named objects; its exercises run."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "architecture" / "reading-dashboard.md"
STATIONS = re.split(r"^## \d+\. ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
ROW = re.compile(r"^\| `([^`]+/[^`]+\.(?:py|c|ts))` \| (.*) \|$", re.MULTILINE)


def test_the_files_of_every_station_exist() -> None:
    missing = [path for station in STATIONS for path, _ in ROW.findall(station) if not (ROOT / path).is_file()]
    assert missing == [], "these files have moved: name their new places on the page"


def test_the_files_hold_the_names_to_look_for() -> None:
    assert len(STATIONS) == 9
    for station in STATIONS:
        rows = ROW.findall(station)
        assert rows, station
        for path, look_for in rows:
            text = (ROOT / path).read_text(encoding="utf-8")
            for name in re.findall(r"`([\w.]+)`", look_for):
                assert name.rpartition(".")[2] in text, f"{path} has no {name}"


def test_the_exercises_run() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == len(STATIONS)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)  # noqa: S102 - our own page
