"""The web server's entry point: gate, then sockets, files of the front end, or Django.

Run by uvicorn: `uvicorn mindinsight.config.asgi:application`, or `web.py`, which the supervisor starts.
"""

from __future__ import annotations

import asyncio
import importlib
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from asgiref.sync import sync_to_async
from servestatic import ServeStaticASGI
from servestatic.asgi import FileServerASGI
from servestatic.responders import StaticFile
from servestatic.utils import decode_path_info

from mindinsight.config.django_setup import set_up

set_up()

from django.conf import settings  # noqa: E402  (settings exist only after setup)

from mindinsight.config.front_end import Build, build_of  # noqa: E402
from mindinsight.config.handler import ThreadedHandler  # noqa: E402
from mindinsight.config.readiness import answer_healthz, answer_readyz  # noqa: E402
from mindinsight.database.migrating import migrate_once  # noqa: E402
from mindinsight.gate.gate import Application, Gate, Receive, Scope, Send  # noqa: E402
from mindinsight.live.hub import Hub  # noqa: E402
from mindinsight.live.socket import LiveSocket  # noqa: E402
from mindinsight.memory import give_back_memory  # noqa: E402

if TYPE_CHECKING:
    from mindinsight.debugger.asgi import DebuggerSockets

PREFIX: str = settings.ENVIRONMENT.prefix
# How long the interpreter is left to the first questions, before what they did not need is looked for.
_FIRST_ANSWERS_S = 1.0


class _Files(ServeStaticASGI):  # type: ignore[misc]
    """Sends a file in one piece: in pieces of its usual size, each its own trip to a thread, the shell takes 12 ms.

    Args:
        inner: answers what is no file.
    """

    files: dict[str, StaticFile]

    def __init__(self, inner: ThreadedHandler) -> None:
        super().__init__(inner, allow_all_origins=False, immutable_file_test=r"/assets/.+-[\w-]{8,}\.")
        import drf_spectacular_sidecar

        self.add_files(Path(drf_spectacular_sidecar.__file__).parent / "static", prefix=f"{PREFIX}/static/")
        self._others = dict(self.files)
        self._build: Build = ()
        self._take_build()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = self._find(decode_path_info(scope["path"])) if scope["type"] == "http" else None
        if found is None:
            await self.application(scope, receive, send)
            return
        server = FileServerASGI(found)
        server.block_size = 1 << 20
        await server(scope, receive, send)

    def _find(self, path: str) -> StaticFile | None:
        """The file of a path, of the build that there is now."""
        if path in self.files or path.startswith(f"{PREFIX}/assets/"):
            self._take_build()
        return self.files.get(path)

    def _take_build(self) -> None:
        """Finds the files of the front end where they are not those that are known."""
        build = build_of(settings.FRONTEND_DIRECTORY)
        if build == self._build:
            return
        self.files = dict(self._others)
        if settings.FRONTEND_DIRECTORY.is_dir():
            self.add_files(settings.FRONTEND_DIRECTORY, prefix=PREFIX or "/")
            # The page itself is made per prefix by a view.
            self.files.pop(f"{PREFIX}/index.html", None)
        self._build = build


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


def _import_first() -> None:
    """Imports the views that nearly every page asks first, before a person can have opened one.

    The views of other apps are imported when they are asked for: some hundredths of a second, once, instead of
    megabytes of every dashboard.
    """
    for module in (settings.ROOT_URLCONF, "mindinsight.scalars.urls", "mindinsight.runs.urls"):
        importlib.import_module(module)


class Dashboard:
    """The whole web side of one process.

    Args:
        hub: passes stored points on to this process's sockets.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._api = ThreadedHandler()
        self._live = LiveSocket(hub)
        self._debugger_sockets: DebuggerSockets | None = None

    @cached_property
    def _pages(self) -> ServeStaticASGI:
        return _Files(self._api)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Routes one connection."""
        if scope["type"] == "lifespan":
            await self._live_and_die(receive, send)
        elif not scope["path"].startswith(f"{PREFIX}/"):
            await _answer_outside(scope, receive, send)
        elif scope["path"] == f"{PREFIX}/healthz":
            await answer_healthz(send, self._hub)
        elif scope["path"] == f"{PREFIX}/readyz":
            await answer_readyz(send, self._hub)
        elif scope["type"] == "http":
            http = self._api if scope["path"].startswith(f"{PREFIX}/api/") else self._pages
            known = {"root_path": PREFIX, "mindinsight.hub": self._hub, "mindinsight.debugger": self._debugger_sockets}
            await http({**scope, **known}, receive, send)
        elif scope["path"] == f"{PREFIX}/ws/live":
            await self._live(scope, receive, send)
        elif scope["path"] in (f"{PREFIX}/ws/debug", f"{PREFIX}/ws/train"):
            await (await self._debugger())(scope, receive, send)
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
        settling = asyncio.create_task(self._settle())
        await receive()
        settling.cancel()
        await asyncio.gather(settling, return_exceptions=True)
        if self._debugger_sockets is not None:
            await self._debugger_sockets.registry.stop()
        await self._hub.stop()
        await send({"type": "lifespan.shutdown.complete"})

    async def _settle(self) -> None:
        """What can wait until the address is printed, and most of it until the first questions are answered."""
        await asyncio.to_thread(_import_first)
        await asyncio.sleep(_FIRST_ANSWERS_S)
        await asyncio.to_thread(lambda: self._pages)
        await asyncio.to_thread(give_back_memory)
        # What other web servers say of their sessions is heard from now on.
        await (await self._debugger()).registry.start()

    async def _debugger(self) -> DebuggerSockets:
        """The debugger's sockets, imported and made when they are first needed."""
        module = await asyncio.to_thread(importlib.import_module, "mindinsight.debugger.asgi")
        if self._debugger_sockets is None:
            self._debugger_sockets = module.DebuggerSockets()
        return self._debugger_sockets


application: Application = Gate(Dashboard(Hub()), settings.ENVIRONMENT)
