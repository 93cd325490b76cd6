"""Parses clients' messages with limits: JSON objects of limited size and depth, and short ids.

`mindinsight.live.socket` and `mindinsight.debugger.browsers.socket` parse every message with it.
"""

from __future__ import annotations

import re
from typing import Any, Final

import orjson

Json = dict[str, Any]

MESSAGE_BYTES: Final = 1 << 20
"""Maximum bytes of a client's message."""
MOST_DEPTH: Final = 32
"""Maximum depth of nested arrays and objects."""
MOST_PARTS: Final = 50_000
"""Maximum number of arrays and objects in a message. A subscription to 20,000 series has 20,002."""
MOST_ID: Final = 100
"""Maximum characters of an id."""

_TEXTS: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_ALL_BUT_BRACKETS: Final = bytes(byte for byte in range(256) if byte not in b"[]{}")
_ONE_KIND: Final = bytes.maketrans(b"{}", b"[]")


class ClosedError(Exception):
    """The client sent an invalid message, and its socket is closed.

    Args:
        code: WebSocket close code.
        reason: what was wrong, as a short sentence.
    """

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


def parsed(message: Any) -> Json:
    """Returns the JSON object in a client's message.

    Args:
        message: ASGI's event of type `websocket.receive`.

    Raises:
        ClosedError: 4400 if it is not a JSON object or nested too deeply, 1009 if it is too long.
    """
    content = message.get("text")
    data = (message.get("bytes") or b"") if content is None else content.encode()
    if len(data) > MESSAGE_BYTES:
        raise ClosedError(1009, f"a message of more than {MESSAGE_BYTES} bytes")
    _check_shape(data)
    try:
        found = orjson.loads(data)
    except orjson.JSONDecodeError:
        raise ClosedError(4400, "not JSON") from None
    if not isinstance(found, dict):
        raise ClosedError(4400, "not a JSON object")
    return found


def identity(message: Json) -> str | int | None:
    """Returns the id of a message, which its answer repeats.

    Raises:
        ClosedError: 4400 if it is not a short string, an integer or null.
    """
    found = message.get("id")
    if found is None or (isinstance(found, int) and not isinstance(found, bool)):
        return found
    if isinstance(found, str) and len(found) <= MOST_ID:
        return found
    raise ClosedError(4400, f"an id must be null, an integer, or a string of at most {MOST_ID} characters")


def _check_shape(data: bytes) -> None:
    """Counts brackets outside strings before parsing, because parsers recurse and small arrays take much memory.

    Each round removes the innermost pairs, so there are as many rounds as levels. The parser checks the kinds of
    brackets.
    """
    brackets = _TEXTS.sub(b"", data).translate(_ONE_KIND, _ALL_BUT_BRACKETS)
    if len(brackets) > 2 * MOST_PARTS:
        raise ClosedError(4400, f"more than {MOST_PARTS} arrays and objects")
    for _ in range(MOST_DEPTH):
        if not brackets:
            return
        brackets = brackets.replace(b"[]", b"")
    if brackets:
        raise ClosedError(4400, f"not JSON, or nested deeper than {MOST_DEPTH}")
