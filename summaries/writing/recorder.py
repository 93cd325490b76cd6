"""The writer's thread: takes records from a queue and writes them to an event file.

The training only appends to the queue. Encoding, writing and waiting for a full disk happen here.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from summaries.records import MAX_RECORD_BYTES
from summaries.writing.event_file import EventFile
from summaries.writing.items import Item
from summaries.writing.scalar_events import Point, Values, scalar_records

_log = logging.getLogger("summaries")

_POINTS_PER_WRITE = 4096
_RETRY_SECONDS = 0.25
# Limit for arrays that are not encoded yet; beyond it, the training waits for the thread.
_MAX_QUEUED_BYTES = 256 << 20
# From this size, arrays are encoded at once, so that their memory is soon free again.
_EAGER_BYTES = 1 << 20
# Encoded records are written when they reach this size together.
_BYTES_PER_WRITE = 4 << 20
# Limit for records kept while the file cannot be written; beyond it, only scalars are kept.
_MAX_KEPT_BYTES = 256 << 20
# Delay of one call when the queue is full and the file cannot be written.
_FULL_SECONDS = 0.01
# Time for which `close` retries.
_CLOSE_SECONDS = 2.0


class Recorder:
    """Owns an open event file, the queue of what goes into it, and the thread between the two.

    Args:
        file: the file; only the thread uses it from now on.
        again: opens another file in the same directory, in case `file` is removed.
        flush_secs: maximum time in seconds until a queued point is in the file.
        max_queue: number of queued points from which `put` waits for the thread.
        first: record that precedes all others.
    """

    def __init__(
        self,
        file: EventFile,
        again: Callable[[], EventFile],
        *,
        flush_secs: float,
        max_queue: int,
        first: Item | None = None,
    ) -> None:
        self._file = file
        self._again = again
        self._first = first
        self._flush_secs = flush_secs
        self._max_queue = max_queue
        self._crowd = -(-max_queue // 2)
        self._called = False
        self._queue: deque[Point | Item] = deque() if first is None else deque((first,))
        self._queued_bytes = 0
        self._dropped = 0
        self._complaints: set[str] = set()
        self._changed = threading.Condition()
        self._asked = self._answered = 0
        self._closing = self._failing = self._stopped = False
        self._thread = threading.Thread(target=self._run, name="SummaryWriter", daemon=True)
        self._thread.start()

    @property
    def path(self) -> Path:
        """Path of the file."""
        return self._file.path

    def put(self, step: int, wall: float, values: Values) -> None:
        """Queue the values of one step; wait for room when the queue is full.

        While the file cannot be written, the wait is short, so that the training continues. Nothing is dropped.
        """
        self._queue.append((step, wall, values))
        queued = len(self._queue)
        # Wake the thread once when the queue is half full: taking the lock in each call would double its cost.
        if queued >= self._crowd and (not self._called or queued >= self._max_queue):
            self._wait_for_room()

    def put_item(self, item: Item) -> None:
        """Queue one item; wait if the queue is too long or holds too many bytes."""
        with self._changed:
            self._queue.append(item)
            self._queued_bytes += item.size
            if self._queued_bytes >= _EAGER_BYTES:
                self._changed.notify_all()
        if self._is_crowded():
            self._wait_for_room()

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until all queued records are in the file.

        Args:
            timeout: maximum time in seconds.

        Returns:
            False if the file cannot be written now, or the time was too short.
        """
        with self._changed:
            self._asked += 1
            ticket = self._asked
            self._changed.notify_all()
            done = self._changed.wait_for(lambda: self._answered >= ticket or self._stopped, timeout)
            return done and not self._failing

    def close(self) -> None:
        """Write the queue, retrying for some seconds if necessary, and close the file."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join()

    def forsake(self) -> None:
        """Close the descriptor in a forked process, where the thread does not exist."""
        self._file.forsake()

    def _wait_for_room(self) -> None:
        with self._changed:
            self._called = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._has_room() or self._may_pass() or self._stopped)
            if self._failing:
                self._changed.wait_for(self._has_room, _FULL_SECONDS)

    def _has_room(self) -> bool:
        return len(self._queue) < self._max_queue and self._queued_bytes < _MAX_QUEUED_BYTES

    def _may_pass(self) -> bool:
        """Whether only the disk is the obstacle: arrays are encoded on a full disk, too, so they wait."""
        return self._failing and self._queued_bytes < _MAX_QUEUED_BYTES

    def _is_crowded(self) -> bool:
        return len(self._queue) >= self._crowd or self._queued_bytes * 2 >= _MAX_QUEUED_BYTES

    def _run(self) -> None:
        try:
            while not self._closing:
                with self._changed:
                    pause = min(_RETRY_SECONDS, self._flush_secs) if self._failing else self._flush_secs
                    self._called = False
                    self._changed.wait_for(self._is_due, pause)
                    asked = self._asked
                self._write()
                with self._changed:
                    self._answered = asked
                    self._changed.notify_all()
            self._finish()
        finally:
            with self._changed:
                self._stopped = True
                self._changed.notify_all()

    def _is_due(self) -> bool:
        crowded = self._is_crowded() or self._queued_bytes >= _EAGER_BYTES
        crowded = crowded and not self._failing
        return crowded or self._closing or self._asked > self._answered

    def _write(self) -> None:
        """Write until the queue is empty or the file cannot be written; log when that changes."""
        try:
            if (self._queue or self._file.waiting) and self._file.removed:
                self._write_elsewhere()
            self._file.write()
            while self._queue:
                self._encode()
                self._file.write()
                with self._changed:
                    self._changed.notify_all()
        except OSError as error:
            if not self._failing:
                text = "Cannot write %s: %s. Training continues, and writing is retried."
                _log.warning(text, self.path, error)
            self._failing = True
            self._shelve()
            return
        if self._failing:
            lost = f"{self._dropped} large values were" if self._dropped else "nothing was"
            _log.warning("%s can be written again; %s lost.", self.path, lost)
            self._dropped = 0
        self._failing = False

    def _write_elsewhere(self) -> None:
        """Continue in a new file, which starts with the same records as every file of the run.

        Raises:
            OSError: no file can be made there now; the next call tries again.
        """
        removed, self._file = self._file, self._again()
        text = "%s was removed while it was being written. What it held is lost; what follows goes into %s."
        _log.warning(text, removed.path, self.path)
        if self._first is not None:
            self._encode_item(self._first)
        self._file.take_over(removed)

    def _shelve(self) -> None:
        """Encode the queue while it holds arrays: most are far smaller once encoded."""
        while self._queued_bytes:
            self._encode()
            with self._changed:
                self._changed.notify_all()

    def _encode(self) -> None:
        """Turn queue entries into records; consecutive scalars of the same step and time share an event."""
        points: list[Point] = []
        for _ in range(min(len(self._queue), _POINTS_PER_WRITE)):
            entry = self._queue.popleft()
            if not isinstance(entry, Item):
                points.append(entry)
                continue
            self._file.extend(scalar_records(points))
            points = []
            self._encode_item(entry)
            if self._file.waiting_bytes > _BYTES_PER_WRITE:
                break
        self._file.extend(scalar_records(points))

    def _encode_item(self, item: Item) -> None:
        """Make a record of `item`; an item that cannot be encoded is dropped and logged once per name."""
        try:
            if self._failing and self._file.waiting_bytes > _MAX_KEPT_BYTES:
                self._dropped += 1
                return
            payload = item.encode()
            if len(payload) > MAX_RECORD_BYTES:
                raise ValueError(f"it has {len(payload)} bytes; at most {MAX_RECORD_BYTES} are read back")
            self._file.append(payload)
        except Exception as error:
            if item.what not in self._complaints:
                self._complaints.add(item.what)
                _log.error("%s is left out of %s: %s.", item.what[:1].upper() + item.what[1:], self.path, error)
        finally:
            item.release()
            with self._changed:
                self._queued_bytes -= item.size

    def _finish(self) -> None:
        deadline = time.monotonic() + _CLOSE_SECONDS
        self._write()
        while self._failing and time.monotonic() < deadline:
            time.sleep(_RETRY_SECONDS)
            self._write()
        if self._failing:
            lost = self._file.waiting + len(self._queue) + self._dropped
            text = "%s is closed without its last %d records, which could not be written."
            _log.error(text, self.path, lost)
        self._file.close()
