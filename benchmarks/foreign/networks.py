"""Networks of MindSpore's model zoo: how each is built from its own sources."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any


def networks_of(root: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The networks of a checkout, with what the worker is asked about each."""
    yield from ()
