"""Graphs in files below runs' directories: single files, models and dumps of passes. Called by `sources` and the list.

A link names the run and the file: `file:lenet/adam:dumps/net.pb`, `pass:lenet/adam:dumps/02_opt_a_2`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings

from mindinsight.api.problems import Problem
from mindinsight.graphs.json_text import json_text
from mindinsight.graphs.source import Loaded, Source, read, run_of, written
from mindinsight.runs.models import Run
from summaries.beneath import Beneath

if TYPE_CHECKING:
    from mindinsight.graphs.passes import Dumps, History, Pass


class RunDumps:
    """The dumps in the directories of runs.

    If a run's directory is inside another run's directory, its dumps belong to the inner run.
    """

    def __init__(self) -> None:
        self._base: Path = settings.ENVIRONMENT.base_directory
        names = Run.objects.filter(removed="").values_list("name", flat=True)
        self._directories = frozenset(self._base / name for name in names)

    def of(self, name: str) -> Dumps:
        """Returns the dumps of the run with this name."""
        from mindinsight.graphs.passes import find_dumps

        return find_dumps(self._base / name, self._directories)


def file_address(run: str, path: str) -> str:
    """Returns the name of a file in links.

    Args:
        run: the run's name.
        path: path relative to the run's directory.
    """
    return f"file:{written(run)}:{written(path)}"


def pass_address(run: str, history: History, dump: Pass) -> str:
    """Returns the name of a pass of a history in links."""
    path = dump.file if history.directory == "." else f"{history.directory}/{dump.file}"
    return f"pass:{written(run)}:{written(path)}"


def find_file(rest: str) -> Source | None:
    """Returns the graph of an address after `file:`.

    Raises:
        Problem: there is no such run or file.
    """
    name, colon, path = rest.partition(":")
    if not (name and colon and path):
        return None
    run, wanted = run_of(name), read(path)
    found = RunDumps().of(run.name).files.get(wanted)
    if found is None:
        raise _unknown(run, wanted)
    return _source(f"file:{written(run.name)}:{written(wanted)}", "file", [found], wanted, run)


def find_pass(rest: str) -> Source | None:
    """Returns the graph of an address after `pass:`.

    Raises:
        Problem: there is no such run or dump.
    """
    name, colon, path = rest.partition(":")
    if not (name and colon and path):
        return None
    run, wanted = run_of(name), read(path)
    for history in RunDumps().of(run.name).histories:
        for dump in history.passes:
            text = pass_address(run.name, history, dump)
            if text.partition(":")[2].partition(":")[2] == written(wanted):
                return _source(text, "pass", dump.files, history.directory, run)
    raise _unknown(run, wanted)


def _source(text: str, kind: str, files: Sequence[Path], shown: str, run: Run) -> Source:
    digest = hashlib.sha256(kind.encode())
    # A directory in the path may have become a symbolic link since it was listed.
    base: Path = settings.ENVIRONMENT.base_directory
    unlinked = [Beneath(base, file.relative_to(base).as_posix()) for file in files]
    for file in unlinked:
        try:
            known = file.stat()
        except OSError as error:
            gone = json_text(file.name)
            raise Problem("file_gone", f"{gone} of {run.name} no longer exists.", 404, file=gone) from error
        identity = f"{file}\0{known.st_size}\0{known.st_mtime_ns}\0{known.st_ino}\0"
        digest.update(identity.encode("utf-8", "surrogateescape"))

    def load() -> Loaded:
        from mindinsight.graphs.passes import open_dump

        return Loaded(open_dump(unlinked))

    return Source(text, digest.hexdigest(), load, json_text(shown), run.pk)


def _unknown(run: Run, path: str) -> Problem:
    shown = json_text(path)
    return Problem(
        "unknown_graph", f"There is no {shown} in the directory of {run.name}.", 404, what=f"{run.name}, {shown}"
    )
