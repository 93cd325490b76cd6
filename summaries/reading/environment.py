"""Reads the recorded environment of a run, bounded and as JSON. Called by the dashboard's ingest."""

from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError

from summaries.reading.notes import MAX_TEXT, clean_text
from summaries.schema.summary_pb2 import Environment, Event

LARGEST_RECORD = 1 << 20
"""Size of the largest record that is read."""
_MOST = {"command_line": 500, "packages": 1000, "devices": 100, "variables": 500}
_PLAIN = ("host", "platform", "python", "cpu_count", "memory_bytes", "working_directory", "seed")


@dataclass(frozen=True, slots=True)
class Noted:
    """The environment in one record.

    Attributes:
        wall: time of the record, seconds since 1970.
        content: host, platform, python, cpu_count, memory_bytes, working_directory, seed (a string), command_line
            (strings), packages and variables (strings by name), devices (kind, name, memory_bytes) and source
            (revision, branch, changed); unknown entries are missing.
    """

    wall: float
    content: dict[str, Any]


def read_environment(payload: bytes) -> Noted | None:
    """Return the environment in an event, or None if it has none or cannot be parsed.

    Args:
        payload: the event's bytes, without its record's framing.
    """
    try:
        event = Event.FromString(payload) if len(payload) <= LARGEST_RECORD else Event()
    except DecodeError:
        return None
    return Noted(event.wall_time, _content(event.environment)) if event.HasField("environment") else None


def _content(recorded: Environment) -> dict[str, Any]:
    made: dict[str, Any] = {field.name: _plain(value) for field, value in recorded.ListFields() if field.name in _PLAIN}
    if recorded.command_line:
        made["command_line"] = [_text(argument) for argument in recorded.command_line[: _MOST["command_line"]]]
    if recorded.packages:
        made["packages"] = {_text(one.name): _text(one.version) for one in recorded.packages[: _MOST["packages"]]}
    if recorded.variables:
        names = sorted(recorded.variables)[: _MOST["variables"]]
        made["variables"] = {_text(name): _text(recorded.variables[name]) for name in names}
    if recorded.devices:
        made["devices"] = [
            {"kind": _text(one.kind), "name": _text(one.name), "memory_bytes": one.memory_bytes or None}
            for one in recorded.devices[: _MOST["devices"]]
        ]
    if recorded.HasField("source"):
        source = recorded.source
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
