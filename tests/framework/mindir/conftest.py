"""The folder of recorded models of MindSpore, from an environment variable."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def recorded() -> list[Path]:
    """The folders of models with their results: `model.mindir` and `case.npz`."""
    if not os.environ.get("CASES_INTEROP"):
        pytest.skip("CASES_INTEROP names no folder with mindspore/NAME/model.mindir and case.npz")
    folders = sorted(path.parent for path in Path(os.environ["CASES_INTEROP"]).glob("mindspore/*/model.mindir"))
    if not folders:
        pytest.fail(f"CASES_INTEROP is {os.environ['CASES_INTEROP']}, which has no mindspore/NAME/model.mindir")
    return folders
