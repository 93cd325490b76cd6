"""Graph mode and PyNative mode by the names that the debugger's messages use."""

from __future__ import annotations

from typing import Final

from framework import context

__all__ = ["MODES", "mode_now", "set_mode"]

MODES: Final = {"graph": context.GRAPH_MODE, "pynative": context.PYNATIVE_MODE}
"""MindSpore's constants by the names in messages."""


def mode_now() -> str:
    """The mode of the next step."""
    return "graph" if context.is_graph_mode() else "pynative"


def set_mode(mode: str) -> None:
    """Run all steps from the next one on in a mode.

    Raises:
        ValueError: There is no such mode.

    """
    if mode not in MODES:
        raise ValueError(f"the mode must be one of {', '.join(MODES)}, not {mode!r}")
    context.set_context(mode=MODES[mode])
