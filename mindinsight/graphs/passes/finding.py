"""Finds `.pb` files and model files below a run's directory, and directories of `NN_pass.pb`. Called by `find_dumps`.

Symbolic links are not followed, because a link out of the directory could expose other files.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from mindinsight.graphs.passes.listing import list_directory

MOST_ENTRIES = 10_000
"""Maximum number of directory entries that are checked."""
MOST_DEPTH = 8
_NAME = re.compile(r"(?P<number>[0-9]{1,6})_(?P<name>.+?)(?:\.(?P<part>fg[0-9]{1,6}))?\.pb", re.DOTALL)
"""`02_opt_a_2.pb`, or `02_opt_a_2.fg1.pb` for one function graph of several."""


@dataclass(frozen=True, slots=True)
class Pass:
    """A program after one pass.

    Attributes:
        index: position in the history, from 0.
        number: number at the start of the file names. Numbers may be missing or occur twice.
        name: name of the pass.
        file: common name of its dumps, without the part that distinguishes function graphs: `02_opt_a_2`.
        files: the dumps, one for each function graph or one for all.
    """

    index: int
    number: int
    name: str
    file: str
    files: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class History:
    """The passes of the dumps in one directory.

    Attributes:
        directory: path relative to the run's directory, with slashes; `.` for that directory itself.
        passes: the passes in order.
        complete: false if there are more entries than are checked.
    """

    directory: str
    passes: list[Pass]
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Dumps:
    """The dumps below a run's directory.

    Attributes:
        histories: directories of passes, in order of their names.
        files: sorted paths of other `.pb` files and of model files, relative to the run's directory, with slashes.
    """

    histories: list[History]
    files: dict[str, Path]


def find_dumps(run_directory: Path, others: Collection[Path] = ()) -> Dumps:
    """Returns the dumps below a directory.

    Args:
        run_directory: the directory to search. Unreadable directories below it are skipped.
        others: directories of other runs, whose dumps are not included.
    """
    found: dict[str, dict[tuple[int, str], list[tuple[int, str, Path]]]] = {}
    files: dict[str, Path] = {}
    waiting = [(run_directory, ".", 0)]
    seen = 0
    while waiting and seen < MOST_ENTRIES:
        directory, relative, depth = waiting.pop()
        listing = list_directory(directory, MOST_ENTRIES - seen)
        seen += listing.looked
        below = "" if relative == "." else f"{relative}/"
        if depth < MOST_DEPTH:
            inner = [(directory / name, f"{below}{name}", depth + 1) for name in listing.directories]
            waiting.extend(row for row in inner if row[0] not in others)
        for name in listing.dumps:
            path = directory / name
            matched = _NAME.fullmatch(name)
            if matched is None:
                files[f"{below}{name}"] = path
                continue
            part = int(matched["part"][2:]) if matched["part"] else -1
            pass_ = (int(matched["number"]), matched["name"])
            found.setdefault(relative, {}).setdefault(pass_, []).append((part, name, path))
    complete = seen < MOST_ENTRIES
    histories = [
        History(directory, _passes(passes), complete)
        for directory, passes in sorted(found.items(), key=lambda row: row[0])
    ]
    return Dumps(histories, dict(sorted(files.items())))


def find_histories(run_directory: Path) -> list[History]:
    """Returns the histories below a directory, in order of their directories' names.

    Args:
        run_directory: the directory to search. Unreadable directories below it are skipped.
    """
    return find_dumps(run_directory).histories


def find_history(run_directory: Path, directory: str) -> History | None:
    """Returns one history, or None if it does not exist.

    Args:
        run_directory: the directory of the run.
        directory: the `directory` of a `History`. Paths outside the run's directory are never found.
    """
    return next((history for history in find_histories(run_directory) if history.directory == directory), None)


def _passes(found: dict[tuple[int, str], list[tuple[int, str, Path]]]) -> list[Pass]:
    ordered = sorted(found.items(), key=lambda row: row[0])
    made = []
    for index, ((number, name), files) in enumerate(ordered):
        rows = sorted(files, key=lambda row: row[:2])
        stem = rows[0][1].removesuffix(".pb")
        file = stem if rows[0][0] < 0 else stem.rpartition(".")[0]
        made.append(Pass(index, number, name, file, tuple(path for _, _, path in rows)))
    return made
