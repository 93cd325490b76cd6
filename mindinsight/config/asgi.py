"""The web server's entry point. A request passes the gate and then goes to the sockets, the front end's files, or
Django.

Run by uvicorn: `uvicorn mindinsight.config.asgi:application`, or by `web.py`, which the supervisor starts.
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
# Time that the first requests have the interpreter to themselves before further modules are imported.
_FIRST_ANSWERS_S = 1.0


class _Files(ServeStaticASGI):  # type: ignore[misc]
    """Sends a file in one piece. In pieces of the usual size, each of which needs a thread, the shell takes 12 ms.

    Args:
        inner: answers requests that do not name a file.
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
        """Returns the file of a path in the current build."""
        if path in self.files or path.startswith(f"{PREFIX}/assets/"):
            self._take_build()
        return self.files.get(path)

    def _take_build(self) -> None:
        """Finds the files of the front end again if the build has changed."""
        build = build_of(settings.FRONTEND_DIRECTORY)
        if build == self._build:
            return
        self.files = dict(self._others)
        if settings.FRONTEND_DIRECTORY.is_dir():
            self.add_files(settings.FRONTEND_DIRECTORY, prefix=PREFIX or "/")
            # A view makes the page itself, because it depends on the prefix.
            self.files.pop(f"{PREFIX}/index.html", None)
        self._build = build


async def _answer_outside(scope: Scope, receive: Receive, send: Send) -> None:
    """Paths outside the prefix do not exist. The prefix without its slash is the first page."""
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
    """Imports the views that nearly every page calls first, before a person can have opened a page.

    Views of other apps are imported at their first request. This costs some hundredths of a second once, and saves
    megabytes in most dashboards.
    """
    for module in (settings.ROOT_URLCONF, "mindinsight.scalars.urls", "mindinsight.runs.urls"):
        importlib.import_module(module)


class Dashboard:
    """All HTTP and socket traffic of one process.

    Args:
        hub: sends stored points to this process's sockets.
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
        """Opens the database and the hub before the first request, and closes the hub after the last."""
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
        """Does work that can wait until the address is printed, most of it until the first requests are answered."""
        await asyncio.to_thread(_import_first)
        await asyncio.sleep(_FIRST_ANSWERS_S)
        await asyncio.to_thread(lambda: self._pages)
        await asyncio.to_thread(give_back_memory)
        # From now on, messages of other web servers about their sessions arrive.
        await (await self._debugger()).registry.start()

    async def _debugger(self) -> DebuggerSockets:
        """The debugger's sockets, imported and created at the first request for one."""
        module = await asyncio.to_thread(importlib.import_module, "mindinsight.debugger.asgi")
        if self._debugger_sockets is None:
            self._debugger_sockets = module.DebuggerSockets()
        return self._debugger_sockets


application: Application = Gate(Dashboard(Hub()), settings.ENVIRONMENT)
