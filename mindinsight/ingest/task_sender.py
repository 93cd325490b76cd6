"""Queues tasks for Celery on behalf of the reader.

It has its own thread, because importing Celery takes a third of a second and a call to a broker that is away takes
several seconds, and the reader has to follow files.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Iterable

from django.conf import settings
from django.utils.module_loading import import_string

logger = logging.getLogger(__name__)

# Tasks above this number are dropped. The next change of the run queues them again.
_WAITING = 10_000
_MEASURED_AT_ONCE = 200
# The name of a task and its arguments.
_Task = tuple[str, tuple[object, ...]]


class TaskSender:
    """Sends tasks in order, as long as the broker accepts them."""

    def __init__(self) -> None:
        self._waiting: queue.Queue[_Task | None] = queue.Queue(_WAITING)
        self._thread = threading.Thread(target=self._run, name="task-sender", daemon=True)

    def start(self) -> None:
        """Starts the sending thread."""
        self._thread.start()

    def stop(self) -> None:
        """Ends after the task that is being sent; does not wait for it."""
        self._put(None)

    def measure(self, runs: Iterable[int]) -> None:
        """Queues the measurement of runs' disk usage."""
        numbers = sorted(runs)
        for first in range(0, len(numbers), _MEASURED_AT_ONCE):
            self._put(("runs.measure_disk_use", (numbers[first : first + _MEASURED_AT_ONCE],)))

    def read_backlog(self, file: int, chain: str) -> None:
        """Queues the reading of a portion of a file with a large back-log."""
        self._put(("ingest.read_backlog", (file, chain)))

    def sweep(self, below: int) -> None:
        """Queues the removal of data that a killed reader left in the store."""
        self._put(("ingest.sweep", (below,)))

    def keep_copy(self, file: int) -> None:
        """Queues the copying of a file that has to stay readable."""
        self._put(("ingest.keep_copy", (file,)))

    def _put(self, task: _Task | None) -> None:
        try:
            self._waiting.put_nowait(task)
        except queue.Full:
            logger.debug("Too many tasks wait; %s is skipped this time", task)

    def _run(self) -> None:
        while (task := self._waiting.get()) is not None:
            self._ask(*task)

    def _ask(self, name: str, arguments: tuple[object, ...]) -> None:
        from kombu.exceptions import OperationalError

        application = import_string(settings.CELERY_APPLICATION)
        try:
            application.send_task(name, arguments, retry=False)
        except OperationalError as error:
            logger.debug("No broker accepts %s%s: %s", name, arguments, error)
