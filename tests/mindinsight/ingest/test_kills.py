"""A reader that is killed at any moment: nothing is lost, nothing is there twice, everything is in order."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from summaries.kinds import KINDS, Kind
from summaries.reading.reader import EventFileReader

ROOT = Path(__file__).resolve().parents[3]
KILLS = 200 if os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long" else 20


def read_whole(base: Path) -> dict[str, list[list[Any]]]:
    """What a reader that nobody disturbs finds in the files, in their order; what runs are made with is no series."""
    found: dict[str, list[list[Any]]] = {}
    for path in sorted(base.rglob("*_MS")):
        batch = EventFileReader(path).read(1 << 30)
        name = path.relative_to(base).as_posix()
        for tag, point in zip(batch.tag.tolist(), batch.points.tolist(), strict=True):
            found.setdefault(f"{name}|{Kind.SCALAR}|{batch.tags[tag]}", []).append(list(point))
        for tag, kind, place in zip(
            batch.place_tag.tolist(), batch.place_kind.tolist(), batch.places.tolist(), strict=True
        ):
            if KINDS[kind] is not Kind.ENVIRONMENT:
                found.setdefault(f"{name}|{KINDS[kind]}|{batch.tags[tag]}", []).append(list(place))
    return found


@pytest.mark.processes
def test_a_store_whose_reader_is_killed_equals_a_full_read(tmp_path: Path) -> None:
    base = tmp_path / "summaries"
    base.mkdir()
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "mindinsight.config.settings",
        "MINDINSIGHT_SUMMARY_BASE_DIR": str(base),
        "MINDINSIGHT_WORKSPACE": str(tmp_path / "workspace"),
        "MINDINSIGHT_DATA_DIR": str(tmp_path / "data"),
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.mindinsight.ingest.killed_readers", base, str(KILLS), "7"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    expected = read_whole(base)
    assert sum(len(rows) for rows in expected.values()) > 1000
    found = json.loads(done.stdout)
    assert found["stored"] == expected
    assert found["interrupted"] > KILLS / 4  # readers did die in the middle of their work
