"""The contract between a training and the dashboard: the file format, its writer and its reader.

A training writes with `SummaryWriter`; the dashboard follows files with `EventFileReader` and asks
`writer_state` whether their writers live. Names of files are understood by `summaries.naming`, records by
`summaries.records`, and the messages inside are in `summaries.schema`. Nothing here imports the dashboard or
the training core, and importing this package alone loads neither numpy nor protobuf.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from summaries.damages import Damage, DamageReason
    from summaries.kinds import Kind
    from summaries.naming import EventFileName, FileKind, is_hparams_directory, parse_name
    from summaries.reading.classify import Flavour
    from summaries.reading.liveness import WriterState, writer_state
    from summaries.reading.reader import Batch, EventFileReader
    from summaries.records import DamagedRecordError, read_record
    from summaries.writing.writer import SummaryWriter

_HOME = {
    "Batch": "reading.reader",
    "Damage": "damages",
    "DamageReason": "damages",
    "DamagedRecordError": "records",
    "EventFileName": "naming",
    "EventFileReader": "reading.reader",
    "FileKind": "naming",
    "Flavour": "reading.classify",
    "Kind": "kinds",
    "SummaryWriter": "writing.writer",
    "WriterState": "reading.liveness",
    "is_hparams_directory": "naming",
    "parse_name": "naming",
    "read_record": "records",
    "writer_state": "reading.liveness",
}

__all__ = [
    "Batch",
    "Damage",
    "DamageReason",
    "DamagedRecordError",
    "EventFileName",
    "EventFileReader",
    "FileKind",
    "Flavour",
    "Kind",
    "SummaryWriter",
    "WriterState",
    "is_hparams_directory",
    "parse_name",
    "read_record",
    "writer_state",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
