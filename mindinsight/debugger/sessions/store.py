"""Stores sessions in the database and loads them. The registry calls this in the event loop."""

from __future__ import annotations

import time
from collections.abc import Callable

from django.db import Error as DatabaseError

from mindinsight.debugger.sessions import records
from mindinsight.debugger.sessions.session import Session
from mindinsight.debugger.training.tensor_requests import TensorRequests


async def load_session(key: str, changed: Callable[[], None]) -> Session | None:
    """Loads a session, or returns None if no session has this key."""
    found = await records.in_thread(records.load, key)
    if found is None:
        return None
    row, report, tensors, last = found
    return Session(row, report, TensorRequests(key, tensors, last), changed)


async def store_session(session: Session, owner: str) -> None:
    """Stores a session's changes and its heartbeat.

    Args:
        session: the session. The id of its run is updated too.
        owner: this process.

    Raises:
        django.db.Error: the database cannot be written. The changes stay pending.
    """
    session.is_changed = False
    session.stored_at = time.monotonic()
    report, changed = session.report, session.report.changed
    report.changed = set()
    ended = report.ended or {}
    fields = {
        "connected": session.connected,
        "seen": session.seen,
        "ended": ended.get("at"),
        "reason": ended.get("reason", "").replace("\0", ""),
        "message": report.message.replace("\0", ""),
    }
    if session.connected:
        fields["owner"] = owner
    content = {name: getattr(report, name) for name in changed}
    try:
        session.set_run(await records.in_thread(records.store, session.number, content, fields))
    except DatabaseError:
        report.changed |= changed
        raise
