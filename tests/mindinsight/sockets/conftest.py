"""One dashboard for the folder, whose web server is looked at from outside."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.dashboard import Dashboard


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A dashboard on an empty directory."""
    with Dashboard.start(tmp_path_factory.mktemp("summaries"), reload_interval=0.2) as dashboard:
        dashboard.wait_until_ready()
        yield dashboard
