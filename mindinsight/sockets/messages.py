"""What clients send, read with bounds: a JSON object of limited size and depth, and ids that are short.

`mindinsight.live.socket` and `mindinsight.debugger.browsers.socket` read every message with it.
"""

from __future__ import annotations

import re
from typing import Any, Final

import orjson

Json = dict[str, Any]

MESSAGE_BYTES: Final = 1 << 20
"""Bytes of a client's message at most."""
MOST_DEPTH: Final = 32
"""Depth of nested arrays and objects."""
MOST_PARTS: Final = 50_000
"""Arrays and objects of one message: a subscription to 20,000 series has 20,002."""
MOST_ID: Final = 100
"""Characters of an id."""

_TEXTS: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_ALL_BUT_BRACKETS: Final = bytes(byte for byte in range(256) if byte not in b"[]{}")
_ONE_KIND: Final = bytes.maketrans(b"{}", b"[]")


class ClosedError(Exception):
    """The client sent something that ends the conversation.

    Args:
        code: WebSocket close code.
        reason: what was wrong, one short sentence.
    """

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


def parsed(message: Any) -> Json:
    """Returns the JSON object in a message of a client.

    Args:
        message: ASGI's event of type `websocket.receive`.

    Raises:
        ClosedError: 4400 for what is no JSON object or nested too deep, 1009 for what is too long.
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
        ClosedError: 4400 where it is no short string, integer or null.
    """
    found = message.get("id")
    if found is None or (isinstance(found, int) and not isinstance(found, bool)):
        return found
    if isinstance(found, str) and len(found) <= MOST_ID:
        return found
    raise ClosedError(4400, f"an id must be null, an integer, or a string of at most {MOST_ID} characters")


def _check_shape(data: bytes) -> None:
    """Counts brackets outside of texts before a parser sees them: parsers recurse, and small arrays take much memory.

    Each round takes away the innermost pairs, so there are as many rounds as there are levels. Of which kind a bracket
    is, is left to the parser.
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
