"""The files that one summary writer has open, each with its thread: events, and lineage once there is some.

Used by `SummaryWriter`; knows about forked processes and about the end of the process, and nothing about values.
"""

import logging
import os
import sys
import threading
from functools import partial
from pathlib import Path

from summaries.environment.snapshot import Snapshot, is_wanted, take_snapshot
from summaries.naming import LINEAGE_SUFFIX, FileKind
from summaries.writing import shutdown
from summaries.writing.event_file import EventFile
from summaries.writing.items import Item
from summaries.writing.recorder import Recorder
from summaries.writing.scalar_events import Values

_log = logging.getLogger("summaries")

# What the run is made with has some kilobytes; a file that may not hold many of these is for the values.
_ROOM_FOR_ENVIRONMENT = 1 << 20


class RunFiles:
    """Opens the event file at once and the lineage file when something goes into it.

    Args:
        directory: the run's; made when missing.
        suffix: end of the event file's name.
        fsync: whether to wait for the disk itself after each write.
        flush_secs: after so many seconds at most, a value is in the file.
        max_queue: from so many queued entries on, `put` waits.
        from_step: what earlier files say of this step and later ones is superseded.
        sigterm: whether to write what was recorded when SIGTERM ends the process.
        prefix: beginning of the files' names.
        max_bytes: no file becomes longer; what would not fit is left out.
        lazy: open the event file when something goes into it, too.
        environment: whether to record what the run is made with.

    Raises:
        OSError: the directory or the file cannot be created.
        ValueError: the suffix cannot be used.
    """

    def __init__(
        self,
        directory: Path,
        *,
        suffix: str,
        fsync: bool,
        flush_secs: float,
        max_queue: int,
        from_step: int | None,
        sigterm: bool,
        prefix: str = "events",
        max_bytes: int | None = None,
        lazy: bool = False,
        environment: bool = True,
    ) -> None:
        self.directory = directory
        self._suffix = suffix
        self._prefix = prefix
        self._max_bytes = max_bytes
        self._from_step = from_step
        self._records_environment = environment and (max_bytes is None or max_bytes >= _ROOM_FOR_ENVIRONMENT)
        self._fsync = fsync
        self._flush_secs = flush_secs
        self._max_queue = max_queue
        self._closed = False
        self._starting = threading.Lock()
        self._pid = os.getpid()
        self._lineage: Recorder | None = None
        self._events: Recorder | None = None if lazy else self._open(FileKind.MINDSPORE, from_step)
        self._close_with_worker()
        shutdown.register(self, sigterm=sigterm)

    @property
    def path(self) -> Path | None:
        """The event file that this process writes; None in a forked process that has written nothing yet."""
        return self._events.path if self._events else None

    @property
    def lineage_path(self) -> Path | None:
        """The lineage file that this process writes, if there is one."""
        return self._lineage.path if self._lineage else None

    def open(self) -> None:
        """Open the event file, if it is not open yet."""
        if not self._closed and self._events is None:
            self._open_events()

    def put(self, step: int, wall: float, values: Values) -> None:
        """Queue the scalars of one step.

        Raises:
            ValueError: the files are closed.
        """
        if self._closed:
            self._refuse()
        (self._events or self._open_events()).put(step, wall, values)

    def put_item(self, item: Item) -> None:
        """Queue a record for the event file.

        Raises:
            ValueError: the files are closed.
        """
        if self._closed:
            item.release()
            self._refuse()
        (self._events or self._open_events()).put_item(item)

    def put_lineage(self, item: Item) -> None:
        """Queue a record for the lineage file, which is made by the first.

        When it cannot be made (a full disk), an error is logged and the training goes on without it.

        Raises:
            ValueError: the files are closed.
        """
        if self._closed:
            self._refuse()
        with self._starting:
            recorder = self._lineage or self._open_lineage()
        if recorder:
            recorder.put_item(item)

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until everything recorded so far is in the files; return False when something is not."""
        done = [recorder.flush(timeout) for recorder in (self._events, self._lineage) if recorder]
        return all(done)

    def close(self) -> None:
        """Write what is left, mark the files as finished and close them. More than once does no harm."""
        if self._closed:
            return
        self._closed = True
        for recorder in (self._events, self._lineage):
            if recorder:
                recorder.close()
        shutdown.unregister(self)

    def after_fork(self) -> None:
        """Leave the files to the process that this one was forked from; own ones are opened when needed."""
        for recorder in (self._events, self._lineage):
            if recorder is not None:
                recorder.forsake()
        self._events = self._lineage = None
        self._starting = threading.Lock()

    def _open(self, kind: FileKind, from_step: int | None = None) -> Recorder:
        suffix = LINEAGE_SUFFIX if kind is FileKind.LINEAGE else self._suffix
        new_file = partial(
            EventFile,
            suffix=suffix,
            fsync=self._fsync,
            kind=kind,
            from_step=from_step,
            prefix=self._prefix,
            max_bytes=self._max_bytes,
        )
        # A forked process, such as one that loads data, is part of a run whose environment is already recorded.
        first = kind is FileKind.MINDSPORE and self._records_environment and os.getpid() == self._pid and is_wanted()
        return Recorder(
            new_file(self.directory),
            # The training may have changed its working directory by then.
            partial(new_file, self.directory.absolute()),
            flush_secs=self._flush_secs,
            max_queue=self._max_queue,
            first=Item("the environment", partial(_environment, take_snapshot())) if first else None,
        )

    def _open_events(self) -> Recorder:
        """Open an event file at the first value: for a forked process its own, else one that was put off."""
        with self._starting:
            if self._events is None:
                own = os.getpid() == self._pid
                self._events = self._open(FileKind.MINDSPORE, self._from_step if own else None)
                self._close_with_worker()
            return self._events

    def _open_lineage(self) -> Recorder | None:
        try:
            self._lineage = self._open(FileKind.LINEAGE)
        except OSError as error:
            _log.error("The hyper-parameters of %s are not recorded: %s.", self.directory, error)
            return None
        self._close_with_worker()
        return self._lineage

    def _close_with_worker(self) -> None:
        """Forked processes of multiprocessing end without atexit; they run these finalizers instead."""
        util = sys.modules.get("multiprocessing.util")
        if util is not None and (os.getpid() != self._pid or util.process.parent_process() is not None):
            util.Finalize(None, self.close, exitpriority=10)

    def _refuse(self) -> None:
        raise ValueError(f"The summary writer of {self.directory} is closed; open a new one.")


def _environment(snapshot: Snapshot) -> bytes:
    """Return the record, in the writer's thread: what it takes is loaded and found out there."""
    from summaries.environment.collect import environment_event

    return environment_event(snapshot)
