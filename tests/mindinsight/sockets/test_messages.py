"""What of a client's message is read, and what ends the conversation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mindinsight.sockets.json_socket import short
from mindinsight.sockets.messages import MESSAGE_BYTES, MOST_DEPTH, MOST_ID, MOST_PARTS, ClosedError, identity, parsed


def nested(depth: int) -> str:
    """An object in which something is nested; the object counts."""
    return '{"a":' + "[" * (depth - 1) + "]" * (depth - 1) + "}"


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"type": "subscribe", "series": [[1, 2], [3, 4]]}',
        r'{"type": "[[[[\"]]{{\\", "id": "\\\"["}',
        json.dumps({"a": "[" * 1000 + '"' + "{" * 1000}),
        json.dumps({"a": [[number, 0] for number in range(20_000)]}),
        nested(MOST_DEPTH),
    ],
)
def test_messages_are_read_as_json(text: str) -> None:
    assert parsed({"text": text}) == json.loads(text)
    assert parsed({"bytes": text.encode(), "text": None}) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", 4400),
        ("[]", 4400),
        ('"{}"', 4400),
        ("{", 4400),
        ('{"a": "', 4400),
        ('{"a": [}]', 4400),
        ("NaN", 4400),
        (nested(MOST_DEPTH + 1), 4400),
        ("[" * 500_000, 4400),
        ('{"a":' * 200_000, 4400),
        ('["\\"",' * 140_000, 4400),
        (r'"\"' * 300_000, 4400),
        (json.dumps({"a": [[]] * MOST_PARTS}), 4400),
        ("x" * (MESSAGE_BYTES + 1), 1009),
    ],
    ids=range(14),
)
def test_what_is_no_message_ends_the_conversation(text: str, code: int) -> None:
    with pytest.raises(ClosedError) as closed:
        parsed({"text": text})
    assert closed.value.code == code


@pytest.mark.parametrize("name", [None, 0, -1, 1 << 60, "", "c1", "x" * MOST_ID, "日" * MOST_ID])
def test_ids_are_repeated(name: Any) -> None:
    assert identity({"id": name}) == name


def test_a_message_needs_no_id() -> None:
    assert identity({}) is None


@pytest.mark.parametrize("name", [True, 1.5, [], ["a"], {}, "x" * (MOST_ID + 1)])
def test_other_ids_end_the_conversation(name: Any) -> None:
    with pytest.raises(ClosedError) as closed:
        identity({"id": name})
    assert closed.value.code == 4400


@pytest.mark.parametrize("reason", ["short", "x" * 500, "日本語" * 50])
def test_a_reason_has_room_in_a_close_frame(reason: str) -> None:
    assert len(short(reason).encode()) <= 123
    assert reason.startswith(short(reason))
