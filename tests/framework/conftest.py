"""What holds for every test of the training core: the mode that a test sets does not last beyond it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from framework import context


@pytest.fixture(autouse=True)
def _mode_restored() -> Iterator[None]:
    before = context.get_context("mode")
    yield
    if context.get_context("mode") != before:
        context.set_context(mode=before)
