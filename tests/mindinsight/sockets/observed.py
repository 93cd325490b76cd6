"""A dashboard seen from outside: the memory of its web server, and what its processes print."""

from __future__ import annotations

import psutil

from tests.dashboard import Dashboard

MB = 1_000_000


def own_bytes(dashboard: Dashboard) -> int:
    """Bytes of the web server that no other process shares."""
    return int(psutil.Process(dashboard.pids()["web"]).memory_full_info().uss)


def printed_by(dashboard: Dashboard) -> str:
    """All that the processes of a dashboard have printed."""
    logs = [path for path in dashboard.workspace.rglob("*.log") if path.is_file()]
    return "\n".join([*dashboard.lines, *(path.read_text(errors="replace") for path in logs)])
