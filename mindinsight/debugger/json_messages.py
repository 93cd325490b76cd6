"""Converts the debugger's messages to JSON for browsers, and browsers' commands to messages. Called by sessions."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from google.protobuf.message import Message

from mindinsight.api.problems import Problem
from mindinsight.debugger.limits import MOST_PARTS
from summaries.schema.debugger_pb2 import Command, Hello

Json = dict[str, Any]

_LARGE: Final = 32 << 10


class TooManyPartsError(ValueError):
    """A message whose JSON would take very much more memory than its bytes."""


def as_json(message: Message) -> Json:
    """Returns protobuf's JSON of a message, with the schema's field names and with default values."""
    return dict(MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True))


def hello_as_json(hello: Hello) -> Json:
    """Returns a training's first message as JSON, without its secret."""
    return {name: value for name, value in as_json(hello).items() if name != "secret"}


async def json_of(message: Message) -> Json:
    """Returns the same as `as_json`. A long message is converted in a thread.

    Raises:
        TooManyPartsError: the message has too many parts. An empty part has two bytes, but its JSON has hundreds.
    """
    if message.ByteSize() < _LARGE:
        return as_json(message)
    _check_parts(message)
    return await asyncio.to_thread(as_json, message)


def _check_parts(message: Message) -> None:
    parts, left = 0, [message]
    while left:
        for field, value in left.pop().ListFields():
            values = value if field.is_repeated else [value]
            parts += len(values)
            if parts > MOST_PARTS:
                raise TooManyPartsError(f"a message of more than {MOST_PARTS:,} parts")
            if field.message_type is None:
                continue
            if field.message_type.GetOptions().map_entry:
                continue
            left.extend(values)


def command_of(content: object) -> Command:
    """Parses a browser's command.

    Raises:
        Problem: `bad_command`. The sentence says what is wrong.
    """
    if not isinstance(content, dict):
        raise Problem("bad_command", 'A command is an object such as {"step": {"steps": 1}}.')
    try:
        command = ParseDict({name: value for name, value in content.items() if name != "id"}, Command())
    except (ParseError, RecursionError, ValueError, TypeError) as error:
        raise Problem("bad_command", f"This is not a command of the debugger: {str(error)[:300]}.") from None
    if command.WhichOneof("action") is None:
        raise Problem("bad_command", "The command has no action.")
    return command
