"""Runs taken into the store as the ingest does it."""

from __future__ import annotations

from tests.mindinsight.distributions.conftest import take

__all__ = ["take"]
