"""One dashboard for the folder, and trainings and browsers of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.dashboard import Dashboard

from .browser import Browser
from .fake_training import Training

Attach = Callable[..., Training]
Open = Callable[[], Browser]


@pytest.fixture(scope="package")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A dashboard on an empty directory."""
    with Dashboard.start(tmp_path_factory.mktemp("summaries"), reload_interval=0.2) as dashboard:
        yield dashboard


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Closes everything that a test has opened."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def attach(dashboard: Dashboard, stack: ExitStack) -> Attach:
    """Attaches a training; keywords are the fields of its greeting."""

    def attach(**said: Any) -> Training:
        return stack.enter_context(Training(dashboard)).greet(**said)

    return attach


@pytest.fixture
def browse(dashboard: Dashboard, stack: ExitStack) -> Open:
    """Opens a page."""
    return lambda: stack.enter_context(Browser(dashboard))
