"""The file format that connects a training and the dashboard: its writer, its reader and what they share.

- `writing/`: `SummaryWriter`, which a training calls.
- `reading/`: `EventFileReader`, with which the dashboard follows files, and `writer_state`, which checks whether the
  writer of a file is alive.
- `schema/`: the protobuf messages. `kernel/`: the part in C. `environment/`: the environment of a run.
- `debugging/`: the messages between the debugger of a training and the dashboard.
- The modules of this folder serve both ends: names of files, framing of records, kinds of values, limits.

Nothing here imports the dashboard or the training core. `import summaries` loads neither numpy nor protobuf.
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
