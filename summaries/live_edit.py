"""Live edits: settings that were changed during a training.

`SummaryWriter.add_live_edit` records them, the dashboard reads them.
"""

from dataclasses import dataclass

from google.protobuf.message import DecodeError

from summaries.checks import type_name
from summaries.schema.anf_ir_pb2 import DataType, ValueProto
from summaries.schema.summary_pb2 import Event, LiveEdit
from summaries.text import check_text

Setting = float | int | bool | str
"""Types of a setting."""
_FIELDS = ("bool_val", "int_val", "uint_val", "float_val", "double_val", "str_val")


@dataclass(frozen=True)
class Edit:
    """One change of one setting.

    Attributes:
        name: name of the setting.
        before: old value; None if not recorded.
        after: new value; None if not recorded.
        author, note: who made the change, and why; may be empty.
    """

    name: str
    before: Setting | None
    after: Setting | None
    author: str = ""
    note: str = ""


def edit_event(
    wall: float, step: int, name: str, before: Setting | None, after: Setting, author: str, note: str
) -> Event:
    """Return the record of a change that takes effect after `step`.

    Raises:
        TypeError: a value is neither a number nor a string.
        ValueError: a text cannot be written.
    """
    event = Event(wall_time=wall, step=step)
    event.live_edit.name = name
    if before is not None:
        _put(event.live_edit.before, name, before)
    _put(event.live_edit.after, name, after)
    if author:
        event.live_edit.author = check_text(name, author)
    if note:
        event.live_edit.note = check_text(name, note)
    return event


def _put(value: ValueProto, name: str, setting: Setting) -> None:
    if isinstance(setting, bool):
        value.dtype, value.bool_val = DataType.DT_BOOL, setting
    elif isinstance(setting, int):
        value.dtype, value.int_val = DataType.DT_INT64, setting
    elif isinstance(setting, float):
        value.dtype, value.double_val = DataType.DT_FLOAT64, setting
    elif isinstance(setting, str):
        value.dtype, value.str_val = DataType.DT_STRING, check_text(name, setting)
    else:
        raise TypeError(f"The setting {name!r} must be a number or a string, but it is of type {type_name(setting)}.")


def read_edit(data: bytes) -> Edit:
    """Return the change in a serialized `LiveEdit`.

    Raises:
        ValueError: it is broken; the message completes "a value that ...".
    """
    try:
        found = LiveEdit.FromString(data)
    except DecodeError as error:
        raise ValueError(f"cannot be understood: {error}") from None
    return Edit(found.name, _setting(found.before), _setting(found.after), found.author, found.note)


def _setting(value: ValueProto) -> Setting | None:
    present = {field.name: content for field, content in value.ListFields()}
    return next((present[name] for name in _FIELDS if name in present), None)
