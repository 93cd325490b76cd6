"""From a view, which runs in a thread, to the desk, which lives in the server's loop. Used by `api.py`.

What is asked so never waits for a training: the desk answers from what it knows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

from rest_framework.request import Request

from mindinsight.config.problems import Problem
from mindinsight.debugger.desk import Desk
from mindinsight.debugger.relay import SilentError

Answer = TypeVar("Answer")

_WITHIN_S: Final = 6.0


def ask_desk(request: Request, question: Callable[[Desk], Coroutine[Any, Any, Answer]]) -> Answer | None:
    """Returns the desk's answer; None where this process has no desk (yet), so that only what is stored is known.

    Raises:
        Problem: `session_silent`, where another web server was asked and does not answer.
    """
    scope = getattr(request._request, "scope", {})
    door = scope.get("mindinsight.debugger")
    if door is None or door.desk.loop is None:
        return None
    asked = asyncio.run_coroutine_threadsafe(question(door.desk), door.desk.loop)
    try:
        return asked.result(_WITHIN_S)
    except (SilentError, TimeoutError) as error:
        asked.cancel()
        message = "The web server that has this training's connection does not answer. Try again in a moment."
        raise Problem("session_silent", message, 503) from error
