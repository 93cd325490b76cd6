"""What a file says a run was made with, in bounds and in a form that JSON takes. Called by the dashboard's ingest."""

from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError

from summaries.reading.notes import MAX_TEXT, clean_text
from summaries.schema.summary_pb2 import Environment, Event

LARGEST_RECORD = 1 << 20
"""Longer records are not looked into."""
_MOST = {"command_line": 500, "packages": 1000, "devices": 100, "variables": 500}
_PLAIN = ("host", "platform", "python", "cpu_count", "memory_bytes", "working_directory", "seed")


@dataclass(frozen=True, slots=True)
class Noted:
    """What one record says.

    Attributes:
        wall: when that was, seconds since 1970.
        content: host, platform, python, cpu_count, memory_bytes, working_directory, seed (a text), command_line
            (texts), packages and variables (texts by name), devices (kind, name, memory_bytes) and source (revision,
            branch, changed); what is not known is not there.
    """

    wall: float
    content: dict[str, Any]


def read_environment(payload: bytes) -> Noted | None:
    """Return what an event says of the environment, or None where it says nothing or cannot be understood.

    Args:
        payload: the event's bytes, without its record's framing.
    """
    try:
        event = Event.FromString(payload) if len(payload) <= LARGEST_RECORD else Event()
    except DecodeError:
        return None
    return Noted(event.wall_time, _content(event.environment)) if event.HasField("environment") else None


def _content(told: Environment) -> dict[str, Any]:
    made: dict[str, Any] = {field.name: _plain(value) for field, value in told.ListFields() if field.name in _PLAIN}
    if told.command_line:
        made["command_line"] = [_text(argument) for argument in told.command_line[: _MOST["command_line"]]]
    if told.packages:
        made["packages"] = {_text(one.name): _text(one.version) for one in told.packages[: _MOST["packages"]]}
    if told.variables:
        names = sorted(told.variables)[: _MOST["variables"]]
        made["variables"] = {_text(name): _text(told.variables[name]) for name in names}
    if told.devices:
        made["devices"] = [
            {"kind": _text(one.kind), "name": _text(one.name), "memory_bytes": one.memory_bytes or None}
            for one in told.devices[: _MOST["devices"]]
        ]
    if told.HasField("source"):
        source = told.source
        made["source"] = {
            "revision": _text(source.revision),
            "branch": _text(source.branch),
            "changed": source.changed if source.HasField("changed") else None,
        }
    return made


def _plain(value: object) -> object:
    return _text(value) if isinstance(value, str | bytes) else value


def _text(text: str | bytes) -> str:
    cleaned = clean_text(text)
    return cleaned if len(cleaned) <= MAX_TEXT else cleaned[: MAX_TEXT - 1] + "…"
