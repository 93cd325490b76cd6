"""Tells which dotted names of MindSpore there are."""

from __future__ import annotations

import importlib
import sys
import warnings
from contextlib import suppress

from telling import Asked  # type: ignore[import-not-found]


def missing_part(name: str) -> str:
    """The shortest beginning of a dotted name that is not there; empty where all is.

    An import looks for modules by their paths, also where a function of the same name hides one: each part is looked
    for both ways.
    """
    parts = name.split(".")
    found: list[object] = [importlib.import_module(parts[0])]
    for place, part in enumerate(parts[1:], 2):
        path = ".".join(parts[:place])
        with suppress(ImportError):
            importlib.import_module(path)
        known = [getattr(one, part) for one in found if hasattr(one, part)]
        found = [*known, sys.modules[path]] if path in sys.modules else known
        if not found:
            return path
    return ""


def main() -> None:
    """Tells of each name what it lacks."""
    asked = Asked()
    warnings.simplefilter("ignore")
    for name in asked.of["names"]:
        try:
            asked.tell(name=name, missing=missing_part(name))
        except Exception as error:
            asked.tell(name=name, missing=name, text=f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
