"""What the dashboard's tests share: an environment below a temporary directory, and the real event files."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest
from django.conf import LazySettings

from mindinsight.environment import Environment


@pytest.fixture
def environment(tmp_path: Path, settings: LazySettings) -> Environment:
    """An environment with an empty base directory and an empty store, in force for the test."""
    base = tmp_path / "summaries"
    base.mkdir()
    own = dataclasses.replace(
        settings.ENVIRONMENT, base_directory=base, data_directory=tmp_path / "data", workspace=tmp_path / "workspace"
    )
    settings.ENVIRONMENT = own
    return own


@pytest.fixture(scope="session")
def real_files() -> Path:
    """The directory of files that MindSpore and TensorBoard wrote."""
    checkout = Path(__file__).resolve().parents[2]
    directory = (checkout / os.environ.get("MINDINSIGHT_TEST_DATA", "../shared/data")).resolve()
    if not (directory / "mindspore" / "facts.json").is_file():
        pytest.skip(f"no real event files in {directory}; MINDINSIGHT_TEST_DATA names the directory that has them")
    return directory
