"""Rows on disk: append-only files per run and series, and the lock that lets one process write them.

Written by `mindinsight.ingest`, read by `mindinsight.scalars` and `mindinsight.live`. Knows neither the database nor
the format of event files, of which it shares only the types of rows.
"""

from mindinsight.store.columns import SHORT, ColumnStore
from mindinsight.store.levels import BLOCK, LEVEL, Levels
from mindinsight.store.lock import WriterLock
from mindinsight.store.originals import Originals
from mindinsight.store.tables import Rows, Table

__all__ = ["BLOCK", "LEVEL", "SHORT", "ColumnStore", "Levels", "Originals", "Rows", "Table", "WriterLock"]
