"""MindSpore's `ops.auto_generate`: operators and functions side by side."""

from __future__ import annotations

from typing import Any

from framework.ops import functional, operations

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    """An operator, or a function."""
    for home in (operations, functional):
        if hasattr(home, name):
            return getattr(home, name)
    raise AttributeError(f"ops.auto_generate has no {name}")
