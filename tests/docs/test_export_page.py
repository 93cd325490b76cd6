"""The program on the page about model files runs unchanged."""

import re
from pathlib import Path

import pytest

from tests.framework.sources import names_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "export.md"


def test_the_program_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    block = "".join(re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL))
    names_of(block)
    assert (tmp_path / "steps.msir").is_file()
