"""The web server's entry point: gate, then sockets, files of the front end, or Django.

Run by uvicorn, which the supervisor starts: `uvicorn mindinsight.config.asgi:application`.
"""

from __future__ import annotations

import asyncio
import importlib
from pathlib import Path

from asgiref.sync import sync_to_async
from servestatic import ServeStaticASGI
from servestatic.asgi import FileServerASGI
from servestatic.utils import decode_path_info

from mindinsight.config.django_setup import set_up

set_up()

from django.conf import settings  # noqa: E402  (settings exist only after setup)

from mindinsight.config.database import migrate_once  # noqa: E402
from mindinsight.config.gate import Application, Gate, Receive, Scope, Send  # noqa: E402
from mindinsight.config.handler import ThreadedHandler  # noqa: E402
from mindinsight.config.memory import give_back_memory  # noqa: E402
from mindinsight.config.readiness import answer_healthz, answer_readyz  # noqa: E402
from mindinsight.live.hub import Hub  # noqa: E402
from mindinsight.live.socket import LiveSocket  # noqa: E402

PREFIX: str = settings.ENVIRONMENT.prefix


class _Files(ServeStaticASGI):  # type: ignore[misc]
    """Sends a file in one piece: in pieces of its usual size, each its own trip to a thread, the shell takes 12 ms."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = self.files.get(decode_path_info(scope["path"])) if scope["type"] == "http" else None
        if found is None:
            await self.application(scope, receive, send)
            return
        server = FileServerASGI(found)
        server.block_size = 1 << 20
        await server(scope, receive, send)


def _files(inner: ThreadedHandler) -> ServeStaticASGI:
    """Serves the built front end and the API page's assets; everything else goes to `inner`."""
    files = _Files(inner, allow_all_origins=False, immutable_file_test=r"/assets/.+-[\w-]{8,}\.")
    if settings.FRONTEND_DIRECTORY.is_dir():
        files.add_files(settings.FRONTEND_DIRECTORY, prefix=PREFIX or "/")
        # The page itself is made per prefix by a view.
        files.files.pop(f"{PREFIX}/index.html", None)
    import drf_spectacular_sidecar

    files.add_files(Path(drf_spectacular_sidecar.__file__).parent / "static", prefix=f"{PREFIX}/static/")
    return files


async def _answer_outside(scope: Scope, receive: Receive, send: Send) -> None:
    """Outside the prefix there is nothing; the prefix without its slash is the first page."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    status, headers = 404, [(b"content-length", b"0")]
    if scope["path"] == PREFIX:
        query = scope["query_string"]
        status = 308
        headers.append((b"location", f"{PREFIX}/".encode() + (b"?" + query if query else b"")))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def _settle() -> None:
    """What can wait until the address is printed.

    The views' imports take a third of a second; the page that is opened next finds them done.
    """
    importlib.import_module(settings.ROOT_URLCONF)
    give_back_memory()


class Dashboard:
    """The whole web side of one process.

    Args:
        hub: passes stored points on to this process's sockets.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._http = _files(ThreadedHandler())
        self._live = LiveSocket(hub)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Routes one connection."""
        if scope["type"] == "lifespan":
            await self._live_and_die(receive, send)
        elif not scope["path"].startswith(f"{PREFIX}/"):
            await _answer_outside(scope, receive, send)
        elif scope["path"] == f"{PREFIX}/healthz":
            await answer_healthz(send)
        elif scope["path"] == f"{PREFIX}/readyz":
            await answer_readyz(send, self._hub)
        elif scope["type"] == "http":
            await self._http({**scope, "root_path": PREFIX, "mindinsight.hub": self._hub}, receive, send)
        elif scope["path"] == f"{PREFIX}/ws/live":
            await self._live(scope, receive, send)
        else:
            await receive()
            await send({"type": "websocket.close", "code": 1008})

    async def _live_and_die(self, receive: Receive, send: Send) -> None:
        """Opens the database and the hub before the first request, closes the hub after the last."""
        await receive()
        try:
            await sync_to_async(migrate_once)()
            await self._hub.start()
        except Exception as error:
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            raise
        await send({"type": "lifespan.startup.complete"})
        loading = asyncio.create_task(asyncio.to_thread(_settle))
        await receive()
        await loading
        await self._hub.stop()
        await send({"type": "lifespan.shutdown.complete"})


application: Application = Gate(Dashboard(Hub()), settings.ENVIRONMENT)
