"""The programs of the page on training run, one after the other, as they stand."""

import re
import runpy
from pathlib import Path

import pytest

import framework as ms

PAGE = Path(__file__).resolve().parents[2] / "docs" / "training.md"


def test_the_programs_of_the_page_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 10
    # In a file, where graph mode finds the source of a function.
    program = tmp_path / "page.py"
    program.write_text("\n\n".join(blocks), encoding="utf-8")
    try:
        runpy.run_path(str(program), run_name="__main__")
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    printed = capsys.readouterr().out
    assert "epoch: 20 step: 8, loss is 0." in printed
    assert "(256, 2)" in printed
    assert [path.name for path in sorted(tmp_path.glob("checkpoints/*"))] == ["points-22_8.ckpt", "points-23_8.ckpt"]


def test_the_page_names_every_callback() -> None:
    text = PAGE.read_text()
    found = [name for name in ms.train.callback.__all__ if isinstance(getattr(ms.train.callback, name), type)]
    assert [name for name in found if name not in text] == ["RunContext"]
