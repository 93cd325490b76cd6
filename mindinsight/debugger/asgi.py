"""Both sockets of the debugger and their registry. Made by `config/asgi.py` when the first socket is opened."""

from __future__ import annotations

from mindinsight.debugger.browsers.socket import DebugSocket
from mindinsight.debugger.sessions.registry import Registry
from mindinsight.debugger.training.socket import TrainSocket
from mindinsight.gate.gate import Receive, Scope, Send


class DebuggerSockets:
    """The ASGI application of `/ws/train` and `/ws/debug`.

    Attributes:
        registry: this process's sessions.
    """

    def __init__(self) -> None:
        self.registry = Registry()
        self._train = TrainSocket(self.registry)
        self._debug = DebugSocket(self.registry)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one socket until either side closes."""
        await self.registry.start()
        socket = self._train if scope["path"].endswith("/train") else self._debug
        await socket(scope, receive, send)
