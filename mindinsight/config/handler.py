"""Passes requests from the event loop to Django, and answers back. Made by `asgi.py`.

Django's own handler gives every request a new thread, and changes threads for each signal, each middleware, the view
and the end of the request: about ten times, plus a new connection to the database. All views here are plain functions,
so each request goes to a waiting thread once, and that thread keeps its connection.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import IO, Any

from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.core.signals import request_started
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

from mindinsight.config.threads import LatestFirst
from mindinsight.gate.gate import Receive, Scope, Send

THREADS = 16
"""Maximum number of requests that are answered at the same time. More wait."""


class _Django(ASGIHandler):
    """Django's handler with synchronous middleware and views only."""

    # By default a large answer is sent in pieces of 64 KiB, each of which passes the event loop and the socket's
    # buffer.
    chunk_size = 1 << 20

    def __init__(self) -> None:
        BaseHandler.__init__(self)
        self.load_middleware(is_async=False)


class ThreadedHandler:
    """The ASGI application of all views."""

    def __init__(self) -> None:
        self._django: Any = _Django()
        self._threads = LatestFirst(THREADS, "requests")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        try:
            body = await self._django.read_body(receive)
        except RequestAborted:
            return
        loop = asyncio.get_running_loop()
        with body:
            response = await loop.run_in_executor(self._threads, self._answer, scope, body)
            if not response.streaming:
                await self._django.send_response(response, send)
                return
            try:
                await self._stream(response, receive, send)
            finally:
                await loop.run_in_executor(self._threads, response.close)

    def _answer(self, scope: Scope, body: IO[bytes]) -> HttpResponseBase:
        set_script_prefix(get_script_prefix(scope))
        request_started.send(sender=_Django, scope=scope)
        request, refusal = self._django.create_request(scope, body)
        response: HttpResponseBase = refusal if request is None else self._django.get_response(request)
        response._handler_class = _Django  # type: ignore[attr-defined]  # The sender of `request_finished`.
        if not response.streaming:
            response.close()
        return response

    async def _stream(self, response: HttpResponseBase, receive: Receive, send: Send) -> None:
        """Sends one piece after another until the end or until the client has gone."""
        sending = asyncio.create_task(self._django.send_response(response, send))
        leaving = asyncio.create_task(self._django.listen_for_disconnect(receive))
        try:
            await asyncio.wait([sending, leaving], return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
        finally:
            for task in (sending, leaving):
                task.cancel()
                with suppress(asyncio.CancelledError, RequestAborted):
                    await task
