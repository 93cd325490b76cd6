"""A session's row in lists, made from the database or from the state at the web server with its connection."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson
from django.conf import settings

from mindinsight.debugger.between_servers.process_names import is_dead
from mindinsight.debugger.json_messages import Json
from mindinsight.debugger.limits import LOST_AFTER_S
from mindinsight.debugger.models import DebugSession
from mindinsight.runs.models import Run
from summaries.remote import is_remote
from summaries.remote.address import run_address

_STATUS = {"STARTING": "starting", "RUNNING": "running", "PAUSED": "paused", "ENDED": "ended"}


def run_name_of(summary_dir: str) -> str:
    """Returns the run name of a directory, or of a run's address on this dashboard.

    It is an empty text if the directory is not below the base directory.
    """
    if not summary_dir or "\0" in summary_dir:
        return ""
    if is_remote(summary_dir):
        return f"/{run_address(summary_dir).path}".removeprefix(settings.ENVIRONMENT.prefix).removeprefix("/")
    base: Path = settings.ENVIRONMENT.base_directory
    try:
        inside = Path(summary_dir).resolve().relative_to(base.resolve())
    except (ValueError, OSError, RuntimeError):
        return ""
    return inside.as_posix()


def uids_of(names: Iterable[str]) -> dict[str, str]:
    """Returns the ids of the existing runs by name."""
    wanted = {name for name in names if name}
    found = Run.objects.filter(name__in=wanted, removed="").values_list("name", "uid") if wanted else ()
    return {name: uid.hex for name, uid in found}


def status_of(state: Mapping[str, Any] | None, *, connected: bool, ended: bool) -> str:
    """Returns a session's status in one word."""
    if ended:
        return "ended"
    if not connected:
        return "lost"
    return _STATUS.get(str((state or {}).get("status")), "starting")


def row_of(stored: DebugSession, uids: Mapping[str, str]) -> Json:
    """Returns a session's row from the database.

    Args:
        stored: the session.
        uids: ids of runs by name.
    """
    state: Json | None = orjson.loads(stored.state)
    connected = is_connected(stored)
    uid = uids.get(stored.run_name)
    return {
        "id": stored.key,
        "number": stored.pk,
        "run": uid,
        "run_name": stored.run_name,
        "name": stored.run_name or stored.name,
        "host": stored.host,
        "pid": stored.pid,
        "device": stored.device,
        "mode": (state or {}).get("mode", ""),
        "status": status_of(state, connected=connected, ended=stored.ended is not None),
        "step": (state or {}).get("step", 0),
        "started": stored.started,
        "seen": stored.seen,
        "connected": connected,
        "viewers": 0,
        "controller": None,
        "ended": None if stored.ended is None else {"reason": stored.reason, "at": stored.ended},
        "message": stored.message,
    }


def is_connected(stored: DebugSession) -> bool:
    """Whether a web server still has the session's connection, according to the row."""
    return stored.connected and time.time() - stored.stored < LOST_AFTER_S and not is_dead(stored.owner)


def everything_of(stored: DebugSession, row: Json) -> Json:
    """Returns the fields of a `session` message from the database."""
    names = ("hello", "state", "program", "graph", "watching", "hits", "causes", "divergence", "log")
    report = {name: orjson.loads(getattr(stored, name)) for name in names}
    return {
        "type": "session",
        "session": stored.key,
        "row": row,
        **report,
        "ended": row["ended"],
        "connected": row["connected"],
        "viewers": 0,
        "controller": None,
    }
