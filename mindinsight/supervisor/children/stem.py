"""The stem: one short-lived program that imports the common modules of several children and forks them.

Used by the supervisor at its start. The forked processes share the imported memory, and become the supervisor's own
children when the stem ends. On systems without this, each child is started as a program.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Sequence

from mindinsight.supervisor.children.child import Child
from mindinsight.supervisor.children.forking import Branch, Order
from mindinsight.supervisor.children.process import adopt_orphans, kill_session, start_program

_LONGEST_REPORT = 4096


class Stem:
    """One common start of several children.

    Args:
        children: the children to start; their commands have the same stem and the same environment.
    """

    def __init__(self, children: Sequence[Child]) -> None:
        self.children = children
        self._process: subprocess.Popen[bytes] | None = None
        self._report: int | None = None
        self._reported = b""

    @property
    def done(self) -> bool:
        """Whether it has ended and has reported all processes. Then the processes of `pids` are our children."""
        return self._process is None and self._report is None

    @property
    def pids(self) -> dict[str, int]:
        """The process numbers of those that were forked, by the child's name."""
        pairs = (line.split() for line in self._reported.decode("ascii").splitlines())
        return {name: int(pid) for name, pid in pairs}

    def start(self) -> int:
        """Starts the program; the children's outputs are open afterwards.

        Returns:
            The descriptor on which the forked processes report.

        Raises:
            OSError: it cannot be run, or this system does not make its children ours.
        """
        if not adopt_orphans(True):
            raise OSError("this system gives orphans to its first process only")
        self._report, report = os.pipe()
        os.set_blocking(self._report, False)
        outputs = [child.open_output() for child in self.children]
        try:
            self._process = self._run(report, outputs)
        except OSError:
            adopt_orphans(False)
            raise
        finally:
            for descriptor in (report, *outputs):
                os.close(descriptor)
        return self._report

    def hear(self) -> bool:
        """Reads the reports.

        Returns:
            Whether more may come.
        """
        if self._report is None:
            return False
        with contextlib.suppress(BlockingIOError):
            while report := os.read(self._report, _LONGEST_REPORT):
                self._reported += report
            return False
        return True

    def poll(self) -> None:
        """Checks whether the program has ended."""
        if self._process is not None and self._process.poll() is not None:
            self._process = None
            adopt_orphans(False)

    def kill(self) -> None:
        """Kills the program. Processes that it has forked still report."""
        if self._process is not None:
            kill_session(self._process)
            self.poll()

    def close(self) -> None:
        """Stops reading reports."""
        if self._report is not None:
            os.close(self._report)
            self._report = None

    def _run(self, report: int, outputs: Sequence[int]) -> subprocess.Popen[bytes]:
        command = self.children[0].command
        kept = [descriptor for child in self.children for descriptor in child.command.descriptors]
        arguments = [*command.stem, self._order(report, outputs).text()]
        # It prints only what keeps it from forking.
        return start_program(arguments, command.environment, command.directory, outputs[0], [report, *outputs, *kept])

    def _order(self, report: int, outputs: Sequence[int]) -> Order:
        branches = [
            Branch(child.name, child.command.module, str(child.command.directory), output, child.command.descriptors)
            for child, output in zip(self.children, outputs, strict=True)
        ]
        return Order(os.getpid(), report, branches)
