"""Every feature that the parity table claims names a test, and that test exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "parity.md"
ROWS = [
    [cell.strip() for cell in line.strip().strip("|").split(" |")]
    for line in PAGE.read_text(encoding="utf-8").partition("## Programs of MindSpore users")[0].splitlines()
    if line.startswith("| ") and not line.startswith("| feature")
]
ANSWERS = ("yes", "no", "partly", "?")
pytestmark = pytest.mark.smoke


def test_every_row_says_something_of_everybody() -> None:
    assert len(ROWS) > 80
    for row in ROWS:
        assert len(row) in (5, 6), row
        for cell in row[1:5]:
            assert cell.partition(":")[0] in ANSWERS, row


def test_what_we_have_is_shown_by_tests() -> None:
    for row in ROWS:
        shown = re.findall(r"`([^`]+)`", row[5]) if len(row) == 6 else []
        assert bool(shown) == row[1].startswith(("yes", "partly")), row
        for reference in shown:
            assert exists(reference), f"{reference} of {row[0]!r} is no test"


def test_what_is_on_a_page_is_shown_in_a_browser() -> None:
    elsewhere = {
        "detection of repeated sub-structures",
        "export and import of runs",
        "Python client with data frames",
    }
    shown = {row[0]: "`e2e/" in row[5] for row in ROWS if row[1].startswith(("yes", "partly"))}
    assert {feature for feature, browser in shown.items() if not browser} <= elsewhere


def exists(reference: str) -> bool:
    """Whether there is a test of this file and name."""
    path, _, name = reference.partition("::")
    if name:
        file = ROOT / "tests" / path
        return file.is_file() and f"def {name}(" in file.read_text(encoding="utf-8")
    path, _, title = reference.partition(": ")
    file = ROOT / "frontend" / "src" / path.removeprefix("frontend/")
    return file.is_file() and f"it('{title}'" in file.read_text(encoding="utf-8")
