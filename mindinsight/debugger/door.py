"""The way in: both sockets and the desk behind them. Made by `config/asgi.py` when the first one of them is opened."""

from __future__ import annotations

from mindinsight.config.gate import Receive, Scope, Send
from mindinsight.debugger.debug_socket import DebugSocket
from mindinsight.debugger.desk import Desk
from mindinsight.debugger.train_socket import TrainSocket


class Door:
    """The ASGI application of `/ws/train` and `/ws/debug`.

    Attributes:
        desk: this process's sessions.
    """

    def __init__(self) -> None:
        self.desk = Desk()
        self._train = TrainSocket(self.desk)
        self._debug = DebugSocket(self.desk)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one socket until either side closes."""
        await self.desk.start()
        socket = self._train if scope["path"].endswith("/train") else self._debug
        await socket(scope, receive, send)
