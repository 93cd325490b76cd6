"""Keeps the children running: starts them in parallel, reports when they are ready, restarts them, stops them in order.

Run by `launch`, in the foreground or in the background. Everything happens in one loop of one thread.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

from mindinsight.supervisor.children.child import Child
from mindinsight.supervisor.children.child_log import ChildLog, close_log, open_log
from mindinsight.supervisor.children.commands import ChildCommand
from mindinsight.supervisor.children.readiness import ReadinessProbe
from mindinsight.supervisor.children.stem import Stem
from mindinsight.supervisor.instances import Instance
from mindinsight.supervisor.loop import Loop

START_TIMEOUT_S = 60.0
# A child that ends this often before the dashboard was first ready is given up.
_FAILURES_AT_START = 3
# Together with the last deaths' reaping within three seconds.
_KILL_AFTER_S = 2.7
_SHOW_AGAIN_S = 2.0
_LOG_FORMAT = "%(asctime)s %(levelname)s %(message)s"


class Reporter(Protocol):
    """The receiver of the result: a terminal, or the process that has put the dashboard into the background."""

    def ready(self) -> None:
        """Called when the dashboard is ready."""

    def failed(self, message: str) -> None:
        """Called when the dashboard cannot start and is being stopped."""

    def note(self, line: str) -> None:
        """Called with a note for the user."""


class Supervisor:
    """The parent of all processes of one dashboard.

    Args:
        commands: the children in the order of their start. They are stopped in reverse order.
        instance: the public record of the dashboard. Its state and children are kept up to date.
        show: publishes a changed instance.
        address: the address of the web server.
        reporter: is called when the dashboard is ready, or with the reason why it is not.
        hang_up_stops: whether the closing of the terminal ends the dashboard.

    Raises:
        OSError: the log files cannot be opened.
    """

    def __init__(
        self,
        commands: Sequence[ChildCommand],
        instance: Instance,
        show: Callable[[Instance], None],
        address: tuple[str, int],
        reporter: Reporter,
        hang_up_stops: bool,
    ) -> None:
        logs = Path(instance.logs)
        logs.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._log = open_log(logs / "supervisor.log", _LOG_FORMAT)
        self._children = [Child(command, ChildLog(logs / f"{command.name}.log")) for command in commands]
        self._instance = instance
        self._show_to_others = show
        self._reporter = reporter
        self._hang_up_stops = hang_up_stops
        self._loop = Loop()
        self._probe = ReadinessProbe(self._loop, address, f"{instance.prefix}/readyz", self._become_ready)
        self._stem: Stem | None = None
        self._failures = dict.fromkeys((child.name for child in self._children), 0)
        self._asked_to_end = 0
        self._shows_again = False
        self._status = 0

    def run(self) -> int:
        """Runs the dashboard until it is asked to end.

        Returns:
            The exit status: 0 if it was asked to end, 1 if it could not start.
        """
        with self._loop:
            try:
                self._begin()
                self._loop.run()
            except Exception:
                self._log.exception("The supervisor failed")
                self._reporter.failed(f"The supervisor failed; see {self._instance.logs}/supervisor.log.")
                self._status = 1
            finally:
                # Still inside the loop, so that no further signal interrupts this.
                self._clean_up()
        return self._status

    def stop(self) -> None:
        """Asks the children to end, the last one first. Each is asked when the previous one has ended or timed out."""
        if self._stopping:
            return
        self._probe.stop()
        if self._stem is not None:
            self._stem.kill()
        self._log.info("Stopping")
        self._show("stopping")
        share = _KILL_AFTER_S / len(self._children)
        for turn in range(len(self._children)):
            self._loop.after(turn * share, partial(self._ask_to_end, turn + 1))
        self._loop.after(_KILL_AFTER_S, self._kill_the_rest)

    @property
    def _stopping(self) -> bool:
        return self._instance.state == "stopping"

    def _listen_to_signals(self) -> None:
        self._loop.on_signal(signal.SIGTERM, self.stop)
        self._loop.on_signal(signal.SIGINT, self.stop)
        self._loop.on_signal(signal.SIGHUP, self.stop if self._hang_up_stops else lambda: None)
        self._loop.on_signal(signal.SIGCHLD, self._reap)

    def _show(self, state: str | None = None) -> None:
        children = tuple(child.record for child in self._children)
        self._instance = replace(self._instance, state=state or self._instance.state, children=children)
        try:
            self._show_to_others(self._instance)
        except OSError as error:
            # The file still has the previous state.
            self._log.warning("Cannot write the instance file: %s; trying again in %g s", error, _SHOW_AGAIN_S)
            if not self._shows_again:
                self._shows_again = True
                self._loop.after(_SHOW_AGAIN_S, self._show_again)

    def _show_again(self) -> None:
        self._shows_again = False
        self._show()

    # Starting

    def _begin(self) -> None:
        self._listen_to_signals()
        self._log.info("Starting %s on %s", self._instance.base_directory, self._instance.address)
        together = [child for child in self._children if child.command.stem]
        if together:
            self._start_together(together)  # first: it takes longest
        for child in self._children:
            if child not in together:
                self._start(child)
        self._probe.ask()
        self._loop.after(START_TIMEOUT_S, self._judge_start)
        self._show()

    def _start(self, child: Child) -> None:
        try:
            child.start()
        except OSError as error:
            self._start_later(child, f"{child.name} could not be run ({error.strerror}: {child.command.arguments[0]})")
            return
        self._log.info("%s runs as pid %s", child.name, child.pid)
        self._watch_output(child)

    def _start_together(self, children: Sequence[Child]) -> None:
        stem = Stem(children)
        try:
            report = stem.start()
        except OSError as error:
            self._log.info("%s; worker and web server share no memory", error)
            stem.close()
            for child in children:
                child.close_output()
                self._start(child)
            return
        self._stem = stem
        self._loop.watch(report, partial(self._hear_stem, report))
        for child in children:
            self._watch_output(child)

    def _settle_stem(self) -> None:
        """Takes over the forks of an ended stem. A child that was not forked is started as a program."""
        if self._stem is None:
            return
        self._stem.poll()
        if not self._stem.done:
            return
        stem, self._stem = self._stem, None
        for child in stem.children:
            pid = stem.pids.get(child.name)
            if pid is not None:
                self._take(child, pid)
            elif not self._stopping:
                self._log.warning("%s was not forked and is started as a program", child.name)
                self._close_output(child)
                self._start(child)
        self._show()

    def _take(self, child: Child, pid: int) -> None:
        child.adopt(pid)
        self._log.info("%s runs as pid %s", child.name, pid)
        if self._stopping:
            child.terminate()

    def _start_later(self, child: Child, ended: str) -> None:
        self._failures[child.name] += 1
        if self._instance.state == "starting" and self._failures[child.name] >= _FAILURES_AT_START:
            self._fail(f"{ended}, for the {_FAILURES_AT_START}rd time.", child)
            return
        delay = child.backoff.delay(child.lived, child.was_killed)
        child.waiting = True
        self._log.warning("%s; starting it again in %g s", ended, delay)
        self._loop.after(delay, partial(self._start_again, child, ended, delay))

    def _start_again(self, child: Child, ended: str, delay: float) -> None:
        if self._stopping:
            return
        child.restarts += 1
        self._start(child)
        self._show()
        if child.alive:
            line = f"{ended}; started again as pid {child.pid} after {delay:g} s"
            self._log.warning(line)
            # Written last, because a reader may use the process numbers at once.
            self._reporter.note(line)

    def _become_ready(self) -> None:
        self._log.info("Ready")
        self._show("ready")
        self._reporter.ready()

    def _judge_start(self) -> None:
        if self._instance.state == "starting":
            self._fail(f"It was not ready after {START_TIMEOUT_S:g} s: {self._probe.last_answer}.", self._children[-1])

    def _fail(self, reason: str, child: Child) -> None:
        self._log.error("The dashboard did not start: %s", reason)
        lines = "".join(f"\n  {line}" for line in child.log.last_lines)
        tail = f"\nThe end of {child.log.path}:{lines}" if lines else f"\nSee the files in {self._instance.logs}."
        self._reporter.failed(f"The dashboard did not start. {reason}{tail}")
        self._status = 1
        self.stop()

    # Watching

    def _watch_output(self, child: Child) -> None:
        if child.output is not None:
            self._loop.watch(child.output, partial(self._copy_output, child))

    def _hear_stem(self, report: int) -> None:
        if self._stem is not None and not self._stem.hear():
            self._loop.unwatch(report)
            self._stem.close()
            self._reap()

    def _copy_output(self, child: Child) -> None:
        if child.output is not None and not child.log.copy(child.output):
            self._close_output(child)

    def _close_output(self, child: Child) -> None:
        if child.output is not None:
            self._loop.unwatch(child.output)
            child.close_output()

    def _reap(self) -> None:
        self._settle_stem()
        ended = [(child, how) for child in self._children if (how := child.poll())]
        for child, how in ended:
            self._close_output(child)
            if self._stopping:
                self._log.info("%s", how)
            else:
                self._start_later(child, how)
        if self._stopping:
            self._go_on_stopping()
        elif ended:
            self._show()

    # Stopping

    def _ask_to_end(self, how_many: int) -> None:
        """Makes sure that at least this many children, from the last one, have been asked."""
        while self._asked_to_end < how_many:
            self._asked_to_end += 1
            self._children[-self._asked_to_end].terminate()
        self._go_on_stopping()

    def _go_on_stopping(self) -> None:
        asked = self._children[len(self._children) - self._asked_to_end :]
        if self._stem is not None or any(child.alive for child in asked):
            return
        if self._asked_to_end < len(self._children):
            self._ask_to_end(self._asked_to_end + 1)
        else:
            self._loop.stop()

    def _kill_the_rest(self) -> None:
        for child in self._children:
            if child.alive:
                self._log.warning("%s (pid %s) did not end in time and is killed", child.name, child.pid)
        self._loop.stop()

    def _clean_up(self) -> None:
        if self._stem is not None:
            self._stem.kill()
            self._stem.close()
        for child in reversed(self._children):
            child.kill()
            child.close_output()
            child.log.close()
        self._log.info("Stopped (pid %s)", os.getpid())
        close_log(self._log)
