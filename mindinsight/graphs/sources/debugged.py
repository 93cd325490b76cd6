"""Graphs of trainings with an attached debugger: `debugger:3f9c2b7d51aa40e8`. Called by `sources`.

The debugger's app writes the files. They are read here, also by the worker, which knows nothing of sessions.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from pathlib import Path

from django.conf import settings

from mindinsight.api.problems import Problem
from mindinsight.graphs.source import Loaded, Source

_KEY = re.compile(r"[0-9a-f]{16}")
_REMEMBERED = 64


def graph_address(session: str) -> str:
    """Returns the name of a session's graph in links."""
    return f"debugger:{session}"


def graph_file(session: str) -> Path:
    """Returns the file of a session's graph: a serialized `GraphProto`."""
    directory: Path = settings.ENVIRONMENT.data_directory / "debugger" / session
    return directory / "graph.pb"


def find_debugged(session: str) -> Source | None:
    """Returns the graph of an address after `debugger:`.

    Raises:
        Problem: the training has not sent its graph, or the session does not exist any more.
    """
    if _KEY.fullmatch(session) is None:
        return None
    path = graph_file(session)
    try:
        status = path.stat()
        digest = _digest(path, (status.st_ino, status.st_size, status.st_mtime_ns))
    except OSError as error:
        message = (
            f"The debugger's session {session} has no graph: it may not have arrived yet, or the session was removed."
        )
        raise Problem("unknown_graph", message, 404, what=graph_address(session)) from error
    shown = f"{session}/{path.name}"

    def load() -> Loaded:
        from mindinsight.graphs.model import graph_from_bytes

        return Loaded(graph_from_bytes(path.read_bytes(), shown))

    return Source(graph_address(session), digest, load, shown)


@lru_cache(maxsize=_REMEMBERED)
def _digest(path: Path, _seen: tuple[int, int, int]) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
