"""Follows all event files below the base directory: finds them, reads new data, and announces it.

Run by the reader (`reader_thread`) in the process that holds the store's lock.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from django.db import Error as DatabaseError

from mindinsight.environment import Environment
from mindinsight.ingest.announcer import Announcer
from mindinsight.ingest.backlog import Backlog
from mindinsight.ingest.discovery import FoundFile
from mindinsight.ingest.followed import FollowedFile, FollowedRun
from mindinsight.ingest.progress import Progress
from mindinsight.ingest.refusals import Refusals
from mindinsight.ingest.removal import Removals
from mindinsight.ingest.scheduling import Due, LongWork
from mindinsight.ingest.states import judge
from mindinsight.ingest.storing.bundles import FILES as BUNDLE
from mindinsight.ingest.storing.bundles import Bundle, Bundler
from mindinsight.ingest.storing.intake import ReplacedError, Stored
from mindinsight.ingest.storing.keeping import Keeper
from mindinsight.ingest.storing.ledger import Ledger
from mindinsight.ingest.storing.notes import note_records, read_lineage_file
from mindinsight.ingest.survey import RUNS_AT_ONCE, Survey
from mindinsight.ingest.task_sender import TaskSender
from mindinsight.ingest.watcher import GrowingFiles, Watcher
from mindinsight.memory import give_back_memory, keep_freed_memory
from mindinsight.runs.models import EventFile, Run
from mindinsight.store import ColumnStore
from summaries import kernel

logger = logging.getLogger(__name__)

# Small enough (some milliseconds each) that a growing file never waits long behind one with gigabytes.
WINDOW_BYTES = 4 << 20 if kernel.LIBRARY is not None else 256 << 10
COMMIT_EVERY_S = 0.5
# New series are shown only after their rows are written, so their rows are written sooner.
COMMIT_NEW_AFTER_S = 0.1
BEAT_EVERY_S = 1.0
JUDGE_EVERY_S = 1.0
# A finished run whose files changed more recently is still checked, because its training may go on.
FRESH_S = 60.0
# Time after which an unreadable file or a full disk is tried again.
RETRY_S = 2.0
# Maximum share of the time for judging states. With very many runs it happens less often.
JUDGE_SHARE = 0.05
# A file that changed more recently than this will probably grow again.
SETTLED_S = 2.0
# Subscribing to the events of a thousand directories takes some 50 ms, so existing data is read first. Events are only
# needed earlier if files grow while a long back-log is read.
WATCH_WITHIN_S = 1.0
# Maximum time for old data before growing files are checked again.
BACKLOG_SLICE_S = 0.03


class Follower:
    """Follows all files below the base directory while this process is the writer of the store.

    Args:
        environment: base directory, data directory and interval.
        caught_up: set when all data that existed at the start has been read.
    """

    def __init__(self, environment: Environment, caught_up: threading.Event | None = None) -> None:
        self._environment = environment
        self._caught_up = caught_up or threading.Event()
        self._base = environment.base_directory
        self._store = ColumnStore(environment.data_directory / "columns")
        self._ledger = Ledger(self._base, self._store)
        self._announcer = Announcer()
        self._refusals = Refusals(environment.written_directories)
        self._watcher = Watcher(self._base)
        self._task_sender = TaskSender()
        self._backlog = Backlog(self._task_sender.read_backlog)
        self._progress = Progress()
        self._removals = Removals(self._base, self._ledger)
        self._bundler = Bundler(self._store, self._ledger.numbers, SETTLED_S)
        self._keeper = Keeper(environment, self._task_sender.keep_copy)
        self._waiting: dict[str, FollowedFile] = {}
        self._ends: dict[int, int] = {}
        self._behind = False
        self._full = False
        self._unmeasured: set[int] = set()
        self._unswept = False
        self._due = Due()
        self._due.again("judge", JUDGE_EVERY_S)  # existing data is read first
        self._growing = GrowingFiles()
        self._judging = LongWork(self._judge_all)
        self._survey = Survey(
            self._base,
            environment.reload_interval,
            self._ledger,
            look=self._look,
            welcome=self._welcome,
            lose=self._lose,
        )
        self._hurried = False

    def look_again(self) -> None:
        """Makes the next turn scan the whole directory, write back, judge states and announce."""
        self._hurried = True
        for what in ("commit", "judge", "beat"):
            self._due.again(what, 0.0)

    def follow(self, stopping: threading.Event) -> None:
        """Reads until `stopping` is set."""
        if kernel.LIBRARY is None:
            logger.warning("Event files are read by Python alone, about 20 times slower: %s", kernel.MISSING)
        self._announcer.start()
        self._task_sender.start()
        keep_freed_memory()
        self._due.again("watch", WATCH_WITHIN_S)
        try:
            while not stopping.is_set():
                self._watch()
                self.turn()
        finally:
            self._watcher.stop()
            self._task_sender.stop()
            self._commit()
            self._announcer.stop()

    def turn(self) -> None:
        """One turn: finds changes, reads them, and from time to time writes back, judges states and announces."""
        unwritten = self._ledger.has_changes and self._due("commit")
        busy = self._survey.due or self._judging.under_way or unwritten or self._readable()
        changed = self._watcher.wait(0.0 if busy else 0.1)
        self._look_at(changed)
        self._look_at_growing()
        self._look_through()
        self._read_all(changed)
        self._note_caught_up()
        if self._judging.under_way or self._due("judge"):
            self._judging.go_on()
        if self._due("beat", BEAT_EVERY_S):
            self._beat()
        if self._due("commit", COMMIT_EVERY_S) or (self._ledger.has_new_series and self._due("commit new")):
            self._commit(None if self._hurried else RUNS_AT_ONCE)
        self._hurried = False

    def _note_caught_up(self) -> None:
        """Called once, when all data that existed at the start has been read."""
        if not self._caught_up.is_set() and not self._waiting and not self._survey.under_way:
            self._judging.finish()
            self._commit()
            self._caught_up.set()
            self._full = self._unswept = True

    # Finding files

    def _watch(self) -> None:
        """Subscribes to file system events once, when it is time. A further scan finds earlier changes."""
        if self._watcher.started or self._environment.reload_interval <= 0:
            return
        if self._caught_up.is_set() or self._due("watch"):
            self._watcher.start()
            self._survey.ask()

    def _look_through(self) -> None:
        """Scans the base directory: completely if requested, else the next piece if it is time."""
        try:
            if self._hurried:
                self._survey.look_now()
            elif self._survey.due:
                self._survey.go_on()
        except DatabaseError as error:
            if not self._refusals.note("The contents of the base directory cannot be stored", error):
                raise  # The rows in memory may be wrong.
            self._survey.put_off(RETRY_S)

    def _welcome(self, new: Iterable[FollowedRun]) -> None:
        numbers = {run.row.pk for run in new}
        self._unmeasured |= numbers
        self._announcer.rows(numbers, set())

    def _look(self, followed: FollowedFile, file: FoundFile) -> None:
        try:
            followed.look(file)
        except ReplacedError:
            self._read_anew(followed)
        else:
            if followed.waits:
                self._waiting[file.relative] = followed

    def _look_at(self, changed: set[str]) -> None:
        """Checks files that have changed according to events. An unknown path triggers a scan."""
        prefix = f"{self._base}/"
        for path in changed:
            relative = path.removeprefix(prefix)
            file = self._ledger.files.get(relative)
            if file is None:
                self._survey.ask()
            else:
                self._growing.note(file)
                self._take_up(file)

    def _look_at_growing(self) -> None:
        for file in self._growing.grown():
            if self._ledger.files.get(file.found.relative) is file:
                self._growing.note(file)
                self._take_up(file)

    def _take_up(self, file: FollowedFile) -> None:
        """Marks a file that may have more data."""
        file.row.complete = False
        if file.waits:
            self._waiting[file.found.relative] = file

    def _lose(self, missed: Mapping[str, float]) -> Iterable[str]:
        """Removes runs whose files are gone, or keeps their stored data. Returns the runs to announce."""
        self._remove()  # Files that are to be deleted may be out of reach, which the run's row then says.
        held = [name for name, when in missed.items() if self._removals.holds(name, when)]
        gone = missed.keys() - held
        if self._keeper.keeps:
            for run in filter(None, map(self._ledger.runs.get, gone)):
                self._let_go(run)
            self._forget_lost()
            return held
        try:
            self._announcer.rows(self._ledger.forget(gone), set())
        except DatabaseError as error:
            self._refusals.note(f"The database does not delete {len(gone)} runs", error)
            return missed
        self._forget_lost()
        return held

    def _let_go(self, run: FollowedRun) -> None:
        """Keeps all data of a run whose files are gone."""
        if run.gone:
            return
        run.gone = True
        self._ledger.touch(run)
        for file in list(run.files):
            self._ledger.let_go(file)
        run.row.state, run.row.state_since = Run.State.FINISHED, time.time()

    def _read_anew(self, file: FollowedFile) -> None:
        logger.warning("The file %s was replaced; reading it again", file.row.path)
        self._keeper.forget(file)
        self._ledger.drop_file(file)
        self._announcer.rows({file.run.row.pk}, set())
        self._forget_lost()
        self._survey.ask()

    def _forget_lost(self) -> None:
        """Forgets files that the ledger has dropped."""
        self._waiting = {path: file for path, file in self._waiting.items() if self._ledger.files.get(path) is file}

    # Reading

    def _readable(self) -> bool:
        now = time.monotonic()
        return any(file.waits and file.not_before <= now for file in self._waiting.values())

    def _read_all(self, changed: set[str]) -> None:
        """Reads changed files first, then older data (newest run first), for a slice of time."""
        if not self._waiting:
            return
        prefix = f"{self._base}/"
        for path in changed:
            file = self._waiting.get(path.removeprefix(prefix))
            if file is not None:
                self._read(file)
        self._tell_ends()
        until = time.monotonic() + BACKLOG_SLICE_S
        ahead = sorted(self._waiting.values(), key=lambda file: file.run.row.opened, reverse=True)
        for place, file in enumerate(ahead):
            if self._bundler.wants(file):
                self._read_bundle(list(islice(filter(self._bundler.wants, ahead[place:]), BUNDLE)))
            while self._read(file) and not file.row.complete and time.monotonic() < until:
                pass
            if time.monotonic() >= until:
                break
        if self._behind and not self._waiting:
            self._due.again("commit", 0.0)  # a caller may be waiting for data that existed before
            self._due.again("give back", 1.0)
            self._full = True
        self._behind = bool(self._waiting)
        self._tell_ends()

    def _read_bundle(self, files: list[FollowedFile]) -> None:
        """Reads short files together. Unusual ones are left as they are."""
        files = [file for file in files if self._ledger.files.get(file.found.relative) is file]
        bundle = Bundle()
        try:
            for file in files:
                self._keeper.keep(file)
            bundle = self._bundler.read(files)
            now = time.time()
            for file in bundle.files:
                self._judge_run(file.run, now)
            runs = self._ledger.write_bundle(bundle)
        except (OSError, DatabaseError) as error:
            self._refusals.note(f"The data of {len(files)} files cannot be stored", error)
            bundle.undo()
            for file in files:
                file.not_before = time.monotonic() + RETRY_S
            return
        for file in bundle.files:
            self._waiting.pop(file.found.relative, None)
        if bundle.files:
            self._announcer.rows(runs, set(bundle.numbers))

    def _read(self, file: FollowedFile) -> bool:
        """Reads one window. Returns whether that succeeded."""
        if not file.waits or self._ledger.files.get(file.found.relative) is not file:
            self._waiting.pop(file.found.relative, None)
            return False
        if file.not_before > time.monotonic():
            return False
        try:
            self._read_window(file)
        except ReplacedError:
            self._read_anew(file)
            return False
        except OSError as error:
            if not file.found.path.exists():
                # A thousand files may vanish at once. The next scan shows what became of them.
                self._waiting.pop(file.found.relative, None)
                self._survey.ask()
                return False
            self._refusals.note(f"Cannot continue with {file.row.path}", error)
            file.not_before = time.monotonic() + RETRY_S
            return False
        except DatabaseError as error:
            if not self._refusals.note(f"The data of {file.row.path} cannot be stored", error):
                raise
            file.not_before = time.monotonic() + RETRY_S
            return False
        if file.row.complete:
            self._waiting.pop(file.found.relative, None)
        return True

    def _read_window(self, file: FollowedFile) -> None:
        if file.row.kind == EventFile.Kind.LINEAGE:
            read_lineage_file(file)
            self._ledger.touch(file.run, file)
        elif self._backlog.wants(file):
            self._commit()
            self._backlog.hand_out(file)
        else:
            self._keeper.keep(file)
            stored = file.intake.read(WINDOW_BYTES, settled=time.time() - file.found.modified > SETTLED_S)
            if stored.records or file.intake.changed:
                self._note(file, stored)
            if file.row.complete and file.run.judged and time.time() - file.found.modified > FRESH_S:
                self._settle(file)  # The state of such a run may not be judged any more.

    def _note(self, file: FollowedFile, stored: Stored) -> None:
        run = file.run.row
        if stored.noted:
            self._ledger.note_environment(run.pk, note_records(run, file.found.path, stored.noted))
        _note_writer(run, stored)
        self._ledger.touch(file.run, file)
        self._ends.update(stored.ends)
        if file.intake.recovering:
            self._commit()

    # Announcing

    def _tell_ends(self) -> None:
        """Sends one message for many files, because each message costs some time of the interpreter's lock."""
        if self._ends:
            self._announcer.stored(self._ends)
            self._ends = {}

    def _commit(self, most: int | None = None) -> None:
        """Writes back the changes of a limited number of runs. The next turn continues with the others."""
        self._due.again("commit new", COMMIT_NEW_AFTER_S)
        now = time.time()
        folded = self._ledger.fold(most)
        for run in folded:
            if not run.judged and not run.unread:
                self._judge_run(run, now)  # with the same write
        try:
            runs, series = self._ledger.commit(folded)
        except DatabaseError as error:
            self._refusals.note("The database does not accept the data", error)
            return
        if runs or series:
            self._announcer.rows(runs, series)
        if self._ledger.has_changes and len(folded) == most:
            self._due.again("commit", 0.0)

    def _judge_all(self) -> Iterator[None]:
        now = time.time()
        for run in list(self._ledger.runs.values()):
            if run.row.state != Run.State.FINISHED or now - _modified(run) <= FRESH_S:
                self._judge_run(run, now)
                yield
        self._due.again("judge", max(JUDGE_EVERY_S, self._judging.seconds / JUDGE_SHARE))

    def _judge_run(self, run: FollowedRun, now: float) -> None:
        if run.gone or not run.files or self._ledger.runs.get(run.row.name) is not run:
            return
        state, since = judge([file.sign for file in run.files], now, run.row.last_wall)
        if state != run.row.state or not run.judged:
            run.row.state, run.row.state_since = state, since
            self._ledger.touch(run)
            self._unmeasured.add(run.row.pk)
            self._keeper.copy(run)
        if state != Run.State.RUNNING:
            for file in run.files:
                self._settle(file)

    def _settle(self, file: FollowedFile) -> None:
        """Whether nobody is expected to fill a gap at this file's end."""
        if file.intake.settle():
            self._ledger.touch(file.run, file)

    def _beat(self) -> None:
        moved, ends = self._backlog.look()
        for file in moved:
            self._ledger.touch(file.run, file)
        if ends:
            self._announcer.stored(ends)
        for run in self._progress.look(self._ledger.newest_first()):
            self._ledger.touch(run)
        self._remove()
        if self._unmeasured and not self._waiting:
            self._task_sender.measure(self._unmeasured)
            self._unmeasured = set()
        if self._unswept:
            # Not at once: sending a task imports Celery, just when pages request the new data.
            self._unswept = False
            self._task_sender.sweep(self._ledger.first_number)
        if self._full and not self._waiting and self._due("give back"):
            self._full = False
            self._bundler.rest()
            give_back_memory()
        watching = "events" if self._watcher.working and self._environment.reload_interval > 0 else "polling"
        self._announcer.beat({"checked": self._survey.checked, "watching": watching, "disk": self._refusals.look()})

    def _remove(self) -> None:
        """Removes and restores runs as users requested."""
        for number in self._removals.carry_out():
            self._announcer.rows({number}, set())
            self._forget_lost()
            self._survey.ask()


def _modified(run: FollowedRun) -> float:
    return max((file.found.modified for file in run.files), default=0.0)


def _note_writer(run: Run, stored: Stored) -> None:
    if stored.writer is not None and run.state_detail.get("pid") != stored.writer.pid:
        run.state_detail = {"host": stored.writer.host, "pid": stored.writer.pid}
    writer = Run.Writer.MINDINSIGHT if stored.writer is not None else Run.Writer(stored.flavour)
    if run.writer == Run.Writer.UNKNOWN and writer != Run.Writer.UNKNOWN:
        run.writer = writer
