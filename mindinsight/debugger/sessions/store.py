"""Sessions into the database and back. Called by the registry, in the server's loop."""

from __future__ import annotations

import time
from collections.abc import Callable

from django.db import Error as DatabaseError

from mindinsight.debugger.sessions import records
from mindinsight.debugger.sessions.session import Session
from mindinsight.debugger.training.tensor_requests import TensorRequests


async def load_session(key: str, changed: Callable[[], None]) -> Session | None:
    """Returns a session as it was stored; None where there is none of this key."""
    found = await records.in_thread(records.load, key)
    if found is None:
        return None
    row, report, tensors, last = found
    return Session(row, report, TensorRequests(key, tensors, last), changed)


async def store_session(session: Session, owner: str) -> None:
    """Stores what has changed of a session, and a sign of life.

    Args:
        session: the session; what is its run is asked for on the way.
        owner: this process.

    Raises:
        django.db.Error: the database refuses; nothing is forgotten.
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
