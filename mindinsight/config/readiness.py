"""`/healthz` and `/readyz`. They answer before Django's addresses are loaded, so that a start is short.

Used by the supervisor, containers and load balancers. They are open to everyone and therefore name no path. With a full
disk the status is `degraded` but the HTTP status stays 200: pages still show data, and a restart would not help.
"""

from __future__ import annotations

import orjson
from asgiref.sync import sync_to_async
from django.db import DatabaseError, connection

from mindinsight.gate.gate import Send
from mindinsight.live.hub import Hub


async def answer_healthz(send: Send, hub: Hub) -> None:
    """Whether this process answers, and whether data can be stored."""
    disk = hub.health.disk
    await _send_json(send, {"status": "ok"} if disk is None else {"status": "degraded", "disk": disk.condition}, 200)


async def answer_readyz(send: Send, hub: Hub) -> None:
    """Whether all that a page needs is available: database, broker and reader. 503 until then."""
    await hub.look()
    parts = {
        "database": await sync_to_async(_database)(),
        "broker": hub.health.broker,
        "reader": hub.health.reader,
    }
    ready = all(part == "ok" for part in parts.values())
    disk = hub.health.disk
    status = "starting" if not ready else "ok" if disk is None else "degraded"
    body = {"status": status, **parts, "disk": "ok" if disk is None else disk.condition}
    await _send_json(send, body, 200 if ready else 503)


def _database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return "down"
    return "ok"


async def _send_json(send: Send, body: dict[str, str], status: int) -> None:
    data = orjson.dumps(body)
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(data)).encode()),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": data})
