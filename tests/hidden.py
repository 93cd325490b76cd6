"""Modules that a process cannot find, as if their packages were not installed. Used by tests of extras."""

from __future__ import annotations

from pathlib import Path


def without(folder: Path, *modules: str) -> dict[str, str]:
    """Returns variables of the environment for a Python that finds none of these modules.

    Args:
        folder: receives a file that Python runs at its start.
        modules: the names of imports.
    """
    (folder / "sitecustomize.py").write_text(f"import sys\nsys.modules.update(dict.fromkeys({modules}))\n")
    return {"PYTHONPATH": str(folder)}
