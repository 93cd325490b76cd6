"""Runs with texts, taken into the store as the ingest does it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mindinsight.runs.models import Series
from summaries import Kind
from tests.mindinsight.distributions.conftest import take

__all__ = ["take"]


@pytest.fixture
def number_of() -> Callable[[str], int]:
    """The number of the only series of texts with a tag."""
    return lambda tag: int(Series.objects.get(tag=tag, kind=Kind.TEXT).pk)
