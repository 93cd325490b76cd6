"""Rows on disk: append-only files per run and series, and the lock that lets one process write them.

Written by `mindinsight.ingest`, read by `mindinsight.scalars` and `mindinsight.live`. It knows neither the database nor
the format of event files, and shares only the types of rows with their reader.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mindinsight.store.columns import SHORT, ColumnStore
    from mindinsight.store.levels import BLOCK, LEVEL, Levels
    from mindinsight.store.lock import WriterLock
    from mindinsight.store.originals import Originals
    from mindinsight.store.tables import Rows, Table, one_after_another

__all__ = [
    "BLOCK",
    "LEVEL",
    "SHORT",
    "ColumnStore",
    "Levels",
    "Originals",
    "Rows",
    "Table",
    "WriterLock",
    "one_after_another",
]

_HOME = {
    "BLOCK": "levels",
    "LEVEL": "levels",
    "SHORT": "columns",
    "ColumnStore": "columns",
    "Levels": "levels",
    "Originals": "originals",
    "Rows": "tables",
    "Table": "tables",
    "WriterLock": "lock",
    "one_after_another": "tables",
}


# The build imports this package to compile a part of it, before numpy is installed.
def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
