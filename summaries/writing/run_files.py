"""The open files of one summary writer, each with its thread: the event file and, once needed, the lineage file.

Handles forked processes and the end of the process; knows nothing about values.
"""

import logging
import os
import sys
import threading
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from summaries.environment.snapshot import Snapshot, is_wanted, take_snapshot
from summaries.naming import LINEAGE_SUFFIX, FileKind
from summaries.writing import shutdown
from summaries.writing.event_file import EventFile
from summaries.writing.items import Item
from summaries.writing.recorder import Recorder
from summaries.writing.scalar_events import Values

if TYPE_CHECKING:
    from summaries.remote.sender import RemoteRun
    from summaries.schema.summary_pb2 import Event

_log = logging.getLogger("summaries")

# The environment takes some kilobytes; a smaller file is reserved for values.
_ROOM_FOR_ENVIRONMENT = 1 << 20


class RunFiles:
    """Opens the event file at once, and the lineage file with its first record.

    Args:
        directory: directory of the run, created if missing.
        suffix: end of the event file's name.
        fsync: whether to call fsync after each write.
        flush_secs: maximum time in seconds until a value is in the file.
        max_queue: number of queued entries from which `put` waits.
        from_step: values of this and later steps in earlier files are superseded.
        sigterm: whether to write queued values when SIGTERM ends the process.
        prefix: start of the file names.
        max_bytes: maximum size of a file; further records are dropped.
        lazy: whether to open the event file with its first record, too.
        environment: whether to record the environment.
        remote: the run on a dashboard whose files these are, if it is one; `close` leaves it.

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
        remote: "RemoteRun | None" = None,
    ) -> None:
        self.directory = directory
        self._remote = remote
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
        """Path of this process's event file; None in a forked process that has written nothing yet."""
        return self._events.path if self._events else None

    @property
    def lineage_path(self) -> Path | None:
        """Path of this process's lineage file, if there is one."""
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
        """Queue a record for the lineage file; the first one creates it.

        If it cannot be created (full disk), an error is logged and the training continues without it.

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
        """Wait until all values recorded so far are in the files; return False if some are not.

        With a time limit in seconds, because the process ends soon, also wait until a dashboard has them.
        """
        done = [recorder.flush(timeout) for recorder in (self._events, self._lineage) if recorder]
        if self._remote and timeout is not None:
            done.append(self._remote.flush(timeout))
        return all(done)

    def close(self) -> None:
        """Write the queues, mark the files as finished and close them. Further calls do nothing."""
        if self._closed:
            return
        self._closed = True
        for recorder in (self._events, self._lineage):
            if recorder:
                recorder.close()
        shutdown.unregister(self)
        if self._remote:
            self._remote.close()

    def after_fork(self) -> None:
        """Leave the files to the parent process; own files are opened when needed."""
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
        """Open the event file with the first value, in a forked process or for a lazy writer."""
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
        """Register a finalizer: forked processes of multiprocessing end without atexit and run finalizers instead."""
        util = sys.modules.get("multiprocessing.util")
        if util is not None and (os.getpid() != self._pid or util.process.parent_process() is not None):
            util.Finalize(None, self.close, exitpriority=10)

    def _refuse(self) -> None:
        raise ValueError(f"The summary writer of {self.directory} is closed; open a new one.")


class RunWriter:
    """Holds a run's files open: the base of `SummaryWriter`, without the values that it records."""

    def __init__(self, files: RunFiles) -> None:
        self._files = files

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def log_dir(self) -> Path:
        """The run's directory."""
        return self._files.directory

    @property
    def logdir(self) -> str:
        """The run's directory, as a str, under tensorboardX's name."""
        return str(self.log_dir)

    def get_logdir(self) -> str:
        """Return the run's directory."""
        return self.logdir

    @property
    def path(self) -> Path | None:
        """The file that this process writes; None before the first value of a lazy writer or a forked process."""
        return self._files.path

    @property
    def lineage_path(self) -> Path | None:
        """The file with this process's hyper-parameters; None if there are none yet."""
        return self._files.lineage_path

    def add_event(self, event: "Event") -> None:
        """Record a complete event about the run itself, such as what its data pipeline did so far.

        Args:
            event: the message, with its wall time.

        Raises:
            ValueError: the writer is closed.
        """
        self._files.put_item(Item("the event", event.SerializeToString))

    def open(self) -> None:
        """Open the event file of a lazy writer now, so that the dashboard shows the run before its first value."""
        self._files.open()

    def flush(self) -> bool:
        """Wait until all values recorded so far are in the file.

        Returns:
            False if the file cannot be written now; the missing values stay queued.
        """
        return self._files.flush()

    def close(self) -> None:
        """Write the queued values, mark the file as finished and close it. Further calls do nothing."""
        self._files.close()


def _environment(snapshot: Snapshot) -> bytes:
    """Return the environment's record; runs in the writer's thread, which does the imports."""
    from summaries.environment.collect import environment_event

    return environment_event(snapshot)
