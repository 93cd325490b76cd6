"""Uvicorn's WebSocket protocol with limits on the memory that one client can use in the web server.

Uvicorn loads it by name (`--ws=mindinsight.sockets.protocol:BoundedProtocol`). It extends uvicorn's own protocol on
websockets, which stops reading while a message waits for the application. It adds the missing limits:

- Tiny messages are read in small pieces, so that few of them wait at a time.
- Fragments are joined as they arrive. A list of a million fragments has forty times the size of their bytes.
- A client that sends pings and does not read the pongs is not read until it has read them.
- A closing connection that cannot send its remaining data is cut after some seconds, and frees its memory.
- A client that violates the protocol can read the close frame that says so.
- The debug log has no headers and frames, because these contain tokens, cookies and secrets.
"""

from __future__ import annotations

from asyncio import AbstractEventLoop, Handle, TimerHandle
from typing import Any, Final, cast

from uvicorn._types import ASGIReceiveEvent, ASGISendEvent
from uvicorn.config import Config
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.frames import Frame

from mindinsight.memory import trim
from mindinsight.sockets.messages import MESSAGE_BYTES

SILENT_CODE: Final = 4408
"""Close code for a client that does not answer pings."""
LINGER_S: Final = 5.0
"""Seconds that a closing connection has to send its remaining data."""
_PIECE_BYTES: Final = 16 << 10
_TRIM_AFTER_S: Final = 1.0

_trimming: list[TimerHandle] = []


def _trim_soon(loop: AbstractEventLoop) -> None:
    """Returns freed memory to the system a second later, once for all connections that end by then."""
    if not _trimming:
        _trimming.append(loop.call_later(_TRIM_AFTER_S, _trim))


def _trim() -> None:
    _trimming.clear()
    trim()


class BoundedProtocol(WebSocketsSansIOProtocol):
    """One connection; made by uvicorn, with uvicorn's arguments."""

    _unread = b""
    _turn: Handle | None = None
    _cutting: TimerHandle | None = None
    _has_failed = False
    _received = 0

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        # At log level debug it would log each header and frame: tokens, cookies and secrets.
        self.conn.debug = False
        # Also applies if uvicorn is started without `--ws-max-size`.
        self.conn.max_message_size = MESSAGE_BYTES

    # Incoming data

    def data_received(self, data: bytes) -> None:
        """Reads as much as the application can handle, and keeps the rest (at most 256 KiB) for later."""
        self._received += len(data)
        self._unread = self._unread + data if self._unread else data
        self._read_on()

    def _read_on(self) -> None:
        """Reads a piece. The rest waits, because 256 KiB of tiny frames take a fifth of a second."""
        if self._turn is not None or self.read_paused or self.transport.is_closing():
            return
        piece, self._unread = self._unread[:_PIECE_BYTES], self._unread[_PIECE_BYTES:]
        if piece:
            super().data_received(piece)
        if self.conn.handshake_exc is not None and not self.handshake_initiated:
            self._refuse_handshake()
        elif self._unread and not self.read_paused:
            self.transport.pause_reading()
            self._turn = self.loop.call_soon(self._take_turn)
        elif not self.read_paused and not self.transport.is_closing():
            self.transport.resume_reading()

    def _take_turn(self) -> None:
        self._turn = None
        self._read_on()

    def _refuse_handshake(self) -> None:
        """Sends the answer to a request that is not a handshake, such as one with a header of 9 kB."""
        self.handshake_complete = self.close_sent = True
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.transport.close()

    def handle_cont(self, event: Frame) -> None:
        """Joins the fragments of a message as they arrive."""
        frames = cast("list[bytes | bytearray]", self.frames)
        if not isinstance(frames[0], bytearray):
            frames[0] = bytearray(frames[0])
        frames[0] += event.data
        if event.fin:
            self.send_receive_event_to_app()

    def send_receive_event_to_app(self) -> None:
        """Passes a complete message to the application.

        A text with invalid UTF-8 ends the connection with code 1007.
        """
        message = bytes(self.frames[0])
        self.frames = [message]
        if self.curr_msg_data_type == "text" and not self.close_sent:
            try:
                message.decode()
            except UnicodeDecodeError as error:
                self.frames = []
                self.conn.fail(1007, f"no UTF-8 at byte {error.start}")
                self.handle_parser_exception()
                return
        super().send_receive_event_to_app()

    def handle_ping(self) -> None:
        """Answers a ping. A client that does not read the answers is not read either."""
        if self._has_failed:
            return
        super().handle_ping()
        if not self.writable.is_set() and not self.read_paused and not self.transport.is_closing():
            self.read_paused = True
            self.transport.pause_reading()

    def resume_writing(self) -> None:
        """The client has read, so it is read again."""
        super().resume_writing()
        if self.read_paused and self.queue.empty():
            self._resume_reading()

    def _resume_reading(self) -> None:
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()
            self._hold_rest()
        self._read_on()

    def _hold_rest(self) -> None:
        """Stops reading from the client while one of its messages waits."""
        if self._unread and not self.transport.is_closing():
            self.transport.pause_reading()

    async def receive(self) -> ASGIReceiveEvent:
        """Returns the next message for the application, and continues reading after the last one."""
        message = await super().receive()
        self._hold_rest()
        self._read_on()
        return message

    async def send(self, message: ASGISendEvent) -> None:
        """Sends for the application. Waits while the client does not read.

        Raises:
            ClientDisconnected: the client has disconnected or violated the protocol.
        """
        await self.writable.wait()
        if self._has_failed:
            raise ClientDisconnected
        await super().send(message)
        if self.close_sent:
            self._hold_rest()
            self._read_on()

    # Closing

    def handle_parser_exception(self) -> None:
        """Ends the connection of a client that violates the protocol.

        Uvicorn closes the transport at once. Further data from the client then resets the connection, and the client
        never reads the close frame. So only our side is closed here, and incoming data is dropped until the client
        closes.
        """
        if self._has_failed or self._cutting is not None:
            return
        self._has_failed = True
        close = self.conn.close_sent
        code, reason = (1006, "") if close is None else (close.code, close.reason)
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        self.close_sent = True
        self.stop_keepalive()
        self.transport.write(b"".join(self.conn.data_to_send()))
        if self.transport.can_write_eof() and not self.transport.is_closing():
            self.transport.write_eof()
        self._cut_soon()
        # Uvicorn closes the transport when the application returns, unless a timer will do so.
        self.close_timer = self.loop.call_later(LINGER_S, self.transport.close)
        self._resume_reading()

    def handle_close(self, event: Frame) -> None:
        """The client closes."""
        super().handle_close(event)
        self._cut_soon()

    def eof_received(self) -> None:
        """The client sends no more data. The transport closes after it has sent the rest."""
        self._cut_soon()

    def keepalive_timeout(self) -> None:
        """The client has not answered a ping. It gets a close frame if it reads, else its connection is cut."""
        self.pong_timer = None
        self.pending_ping_payload = None
        if self.close_sent or self.transport.is_closing():
            return
        if self.transport.get_write_buffer_size():
            self.transport.abort()
            return
        self.conn.fail(SILENT_CODE, "no ping was answered")
        self.handle_parser_exception()

    async def run_asgi(self) -> None:
        """Runs the application. After it has returned, its last messages have some seconds to be sent."""
        await super().run_asgi()
        # The client's data after its last answered message.
        while not self.queue.empty():
            self.queue.get_nowait()
        self._cut_soon()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection has ended. Its memory is freed when the application has noticed."""
        super().connection_lost(exc)
        # Not only when the garbage collector comes, which it does not for a few large objects.
        self._unread, self.frames = b"", []
        self.conn.reader.discard()
        # It refers to the last frame and its context.
        self.conn.parser.close()
        if self._received > MESSAGE_BYTES:
            _trim_soon(self.loop)
        if self._cutting is not None:
            self._cutting.cancel()

    def _cut_soon(self) -> None:
        if self._cutting is None and not self.disconnected:
            self._cutting = self.loop.call_later(LINGER_S, self.transport.abort)
