"""Finds directories of `NN_pass.pb` files below a run's directory. Called through `find_histories`.

Symbolic links are not followed: one that leads out of the directory would show what nobody meant to show.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

MOST_ENTRIES = 10_000
"""So many entries of directories are looked at."""
MOST_DEPTH = 8
_NAME = re.compile(r"(?P<number>[0-9]{1,6})_(?P<name>.+?)(?:\.(?P<part>fg[0-9]{1,6}))?\.pb", re.DOTALL)
"""`02_opt_a_2.pb`, or `02_opt_a_2.fg1.pb` for one function graph of several."""


@dataclass(frozen=True, slots=True)
class Pass:
    """A program after one pass.

    Attributes:
        index: its place in the history, from 0.
        number: the number that the files' names begin with; numbers may be left out or given twice.
        name: what the pass is called.
        files: the dumps, one for each function graph, or one for all.
    """

    index: int
    number: int
    name: str
    files: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class History:
    """The passes that dumps of one directory show.

    Attributes:
        directory: relative to the run's directory, with slashes; `.` for that directory itself.
        passes: in their order.
        complete: false where there were more entries than are looked at.
    """

    directory: str
    passes: list[Pass]
    complete: bool = True


def find_histories(run_directory: Path) -> list[History]:
    """Returns the histories below a directory, in order of their directories' names.

    Args:
        run_directory: where to look; what cannot be read below it is left out.
    """
    found: dict[str, dict[tuple[int, str], list[tuple[int, str, Path]]]] = {}
    waiting = [(run_directory, ".", 0)]
    seen = 0
    while waiting and seen < MOST_ENTRIES:
        directory, relative, depth = waiting.pop()
        entries, looked = _entries(directory, MOST_ENTRIES - seen)
        seen += looked
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if depth < MOST_DEPTH:
                    below = entry.name if relative == "." else f"{relative}/{entry.name}"
                    waiting.append((directory / entry.name, below, depth + 1))
                continue
            matched = _NAME.fullmatch(entry.name)
            if matched and entry.is_file(follow_symlinks=False):
                part = int(matched["part"][2:]) if matched["part"] else -1
                pass_ = (int(matched["number"]), matched["name"])
                path = directory / entry.name
                found.setdefault(relative, {}).setdefault(pass_, []).append((part, entry.name, path))
    complete = seen < MOST_ENTRIES
    return [
        History(directory, _passes(passes), complete)
        for directory, passes in sorted(found.items(), key=lambda row: row[0])
    ]


def find_history(run_directory: Path, directory: str) -> History | None:
    """Returns one history, or None where there is none.

    Args:
        run_directory: where to look.
        directory: as a `History` names it; nothing outside of the run's directory is ever found.
    """
    return next((history for history in find_histories(run_directory) if history.directory == directory), None)


def _entries(directory: Path, most: int) -> tuple[list[os.DirEntry[str]], int]:
    """The first entries of a directory in order of name, and how many were looked at."""
    found: list[os.DirEntry[str]] = []
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                found.append(entry)
                if len(found) >= most:
                    break
    except OSError:
        pass
    return sorted(found, key=lambda entry: entry.name), len(found)


def _passes(found: dict[tuple[int, str], list[tuple[int, str, Path]]]) -> list[Pass]:
    ordered = sorted(found.items(), key=lambda row: row[0])
    return [
        Pass(index, number, name, tuple(path for _, _, path in sorted(files, key=lambda row: row[:2])))
        for index, ((number, name), files) in enumerate(ordered)
    ]
