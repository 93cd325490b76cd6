"""What tests of compiled programs share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import framework as ms
from framework.engine.codegen import program


@pytest.fixture
def tier_up_at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Graph mode, in which the second call of a program runs in its final form."""
    monkeypatch.setattr(program, "WARM_UP_CALLS", 2)
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.kernels.use("fast")
    ms.set_context(mode=ms.PYNATIVE_MODE)
