"""Lets a view, which runs in a thread, call the registry, which lives in the event loop. Used by `api.py`.

Such calls never wait for a training: the registry answers from memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

from rest_framework.request import Request

from mindinsight.api.problems import Problem
from mindinsight.debugger.between_servers.relay import SilentError
from mindinsight.debugger.sessions.registry import Registry

Answer = TypeVar("Answer")

_WITHIN_S: Final = 6.0


def ask_registry(request: Request, question: Callable[[Registry], Coroutine[Any, Any, Answer]]) -> Answer | None:
    """Returns the registry's answer, or None if this process has no registry yet. Then only the database can answer.

    Raises:
        Problem: `session_silent`, if another web server has the session and does not answer.
    """
    scope = getattr(request._request, "scope", {})
    sockets = scope.get("mindinsight.debugger")
    if sockets is None or sockets.registry.loop is None:
        return None
    asked = asyncio.run_coroutine_threadsafe(question(sockets.registry), sockets.registry.loop)
    try:
        return asked.result(_WITHIN_S)
    except (SilentError, TimeoutError) as error:
        asked.cancel()
        message = "The web server that has this training's connection does not answer. Try again in a moment."
        raise Problem("session_silent", message, 503) from error
