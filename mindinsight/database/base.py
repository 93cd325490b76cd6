"""Django's own backend for SQLite, which also notices when SQLite reports a damaged database."""

from __future__ import annotations

from types import TracebackType

from django.db.backends.sqlite3 import base
from django.db.utils import DatabaseErrorWrapper
from django.utils.functional import cached_property

from mindinsight.database import damage


class _Watching(DatabaseErrorWrapper):
    """Sees the errors of all statements and of all fetches."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            damage.note(error)
        super().__exit__(kind, error, trace)


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection."""

    @cached_property
    def wrap_database_errors(self) -> DatabaseErrorWrapper:
        """The context manager around all calls of SQLite."""
        return _Watching(self)
