"""How much memory the web server of a dashboard has for itself."""

from __future__ import annotations

import psutil

from tests.dashboard import Dashboard

MB = 1_000_000


def own_bytes(dashboard: Dashboard) -> int:
    """Bytes of the web server that no other process shares."""
    return int(psutil.Process(dashboard.pids()["web"]).memory_full_info().uss)
