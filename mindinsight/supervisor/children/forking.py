"""The stem's side of a common start: forks one process for each child of the supervisor and ends.

Called by a program that has imported the modules that the children share (`mindinsight.config.forked`). `stem` is the
supervisor's side. Each forked process runs a module like `python -m MODULE ARGUMENTS`.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from mindinsight.supervisor.children.process import end_with, show_as

_PATIENCE_S = 0.0005


@dataclass(frozen=True)
class Branch:
    """One process to fork.

    Attributes:
        name: its name in the supervisor.
        arguments: the module to run, and its arguments.
        directory: its working directory.
        output: the descriptor that it prints to.
        descriptors: the descriptors that it keeps besides.
    """

    name: str
    arguments: Sequence[str]
    directory: str
    output: int
    descriptors: Sequence[int]


@dataclass(frozen=True)
class Order:
    """The order of the supervisor to a stem.

    Attributes:
        supervisor: the process number of the supervisor.
        report: the descriptor that each forked process writes its name and number to.
        branches: the processes to fork.
    """

    supervisor: int
    report: int
    branches: Sequence[Branch]

    @classmethod
    def read(cls, text: str) -> Order:
        """Parses the text from `text`."""
        found = json.loads(text)
        return cls(found["supervisor"], found["report"], [Branch(**branch) for branch in found["branches"]])

    def text(self) -> str:
        """Returns the order as one argument of a program."""
        return json.dumps(asdict(self))


def fork_all(order: Order) -> None:
    """Forks all processes and ends. In each forked process, it returns when the process's module has ended.

    Raises:
        SystemExit: a library has started threads.
    """
    _refuse_threads()
    # The garbage collector writes to the objects that it visits. Freezing keeps the pages of present objects shared.
    gc.freeze()
    stem = os.getpid()
    alive, ends_with_stem = os.pipe()
    for branch in order.branches:
        if os.fork() == 0:
            os.close(ends_with_stem)
            _separate(branch, order)
            _leave(stem, alive, order.supervisor)
            _run(branch)
            return
    # The imported modules must not be finalized here.
    os._exit(0)


def _refuse_threads() -> None:
    """Refuses to fork with other threads: a fork keeps only one thread, and locks of the others would stay held."""
    if len(list(Path("/proc/self/task").iterdir())) > 1:
        raise SystemExit("A library has started threads, so the processes are started one by one.")


def _separate(branch: Branch, order: Order) -> None:
    """Gives the new process its own session, output and descriptors, and reports it to the supervisor."""
    os.setsid()
    os.chdir(branch.directory)
    os.dup2(branch.output, 1)
    os.dup2(branch.output, 2)
    others = {number for other in order.branches for number in (other.output, *other.descriptors)}
    for descriptor in others - set(branch.descriptors):
        os.close(descriptor)
    os.write(order.report, f"{branch.name} {os.getpid()}\n".encode())
    os.close(order.report)


def _leave(stem: int, alive: int, supervisor: int) -> None:
    """Waits until the stem has ended. Then this process is the supervisor's child, and ends with it."""
    os.read(alive, 1)
    os.close(alive)
    while os.getppid() == stem:
        time.sleep(_PATIENCE_S)
    end_with(supervisor)


def _run(branch: Branch) -> None:
    module, *rest = branch.arguments
    show_as([*sys.orig_argv[: sys.orig_argv.index("-m") + 1], module, *rest])
    sys.argv = [module, *rest]
    gc.enable()
    runpy.run_module(module, run_name="__main__", alter_sys=True)
