"""The folders of recorded models, from environment variables."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def interop() -> Path:
    """Models with their results, and hostile files."""
    return _folder("CASES_INTEROP", "models with a case.npz, and hostile files")


@pytest.fixture(scope="session")
def onnx_cases() -> Path:
    """ONNX's own cases."""
    return _folder("CASES_ONNX_NODES", "what tools/onnx_node_cases.py writes")


def _folder(variable: str, content: str) -> Path:
    if not os.environ.get(variable):
        pytest.skip(f"{variable} names no folder with {content}")
    folder = Path(os.environ[variable])
    if not folder.is_dir():
        pytest.fail(f"{variable} is {folder}, which is no folder")
    return folder
