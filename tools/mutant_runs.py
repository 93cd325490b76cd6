"""A plugin of pytest that runs the collected tests once for every mutant. Used by `test_mutations.py`.

One process imports the mutated code and collects the tests. In a fork of it every test runs once with the code as it
is, which tells which functions each test reaches. Then each mutant gets a fork, in which the tests that reach its
function run, the fastest first, until one fails.
"""

from __future__ import annotations

import contextlib
import gc
import json
import math
import os
import resource
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from mutmut.mutation.trampoline import set_mutant_under_test
from mutmut.state import state

#: The file with the names of the mutants, and the one that gets a line for each: its name and what became of it.
WANTED, RESULTS = Path("wanted.json"), Path("results.jsonl")
_REACHED = Path("reached.json")
_PASSED, _FAILED = 0, 1
#: A fork that needs this many times what its tests usually need, and the seconds, hangs.
_TIMES, _CPU_S, _WALL_S = 5, 5, 120
_MEMORY = 4 << 30
"""Bytes that a fork may take beyond what it begins with."""


class Reached(NamedTuple):
    """The result of a test on the unchanged code.

    Args:
        number: Its place among all tests.
        seconds: How long it takes.
        functions: The functions that it reaches, in mutmut's words.
    """

    number: int
    seconds: float
    functions: list[str]


class _Failures:
    """Remembers whether a test has failed in this process."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.seen.append(report.nodeid)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    """Run the tests for every mutant instead of once."""
    failures = _Failures()
    session.config.pluginmanager.register(failures)
    gc.collect()
    gc.freeze()  # A fork that looked through all objects for garbage would copy their memory.
    if _in_fork(lambda: _look(session, failures), 3600, 3600) != "survived":
        raise pytest.UsageError("The tests fail without a mutant.")
    tests: dict[str, list[Reached]] = {}
    for reached in sorted((Reached(*one) for one in json.loads(_REACHED.read_text())), key=lambda one: one.seconds):
        for function in reached.functions:
            tests.setdefault(function, []).append(reached)
    with RESULTS.open("w") as results:
        for mutant in json.loads(WANTED.read_text()):
            status = _fate(session, failures, mutant, tests.get(mutant.partition("__mutmut_")[0], []))
            results.write(json.dumps([mutant, status]) + "\n")
            results.flush()
    return True


def _look(session: pytest.Session, failures: _Failures) -> int:
    """Run every test once and record the functions that it reaches.

    Tests that fail with mutmut's switches in the code, such as those that look at its source, are left out.
    """
    set_mutant_under_test("stats")
    found = []
    for index, item in enumerate(session.items):
        state()._stats.clear()
        begun = time.process_time()
        following = session.items[index + 1] if index + 1 < len(session.items) else None
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if failures.seen:
            print(f"\nLeft out, because it fails without a mutant: {item.nodeid}", flush=True)
            failures.seen.clear()
            continue
        found.append(Reached(index, time.process_time() - begun, sorted(state()._stats)))
    _REACHED.write_text(json.dumps(found))
    # If most are left out, something else is wrong, and the score would say nothing.
    return _PASSED if 2 * len(found) > len(session.items) else _FAILED


def _fate(session: pytest.Session, failures: _Failures, mutant: str, tests: list[Reached]) -> str:
    """The outcome of a mutant."""
    if not tests:
        return "not reached"

    def run() -> int:
        set_mutant_under_test(mutant)
        items = [session.items[test.number] for test in tests]
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if failures.seen:
                session._setupstate.teardown_exact(None)
                return _FAILED
        return _PASSED

    seconds = _TIMES * sum(test.seconds for test in tests)
    return _in_fork(run, math.ceil(seconds) + _CPU_S, math.ceil(seconds) + _WALL_S)


def _in_fork(run: Callable[[], int], cpu_s: int, wall_s: int) -> str:
    """The outcome of a function that runs in a separate process: killed, survived or timeout."""
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + _MEMORY, size + _MEMORY))
        signal.alarm(wall_s)
        code = _FAILED
        try:
            code = run()
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # What its tests left running.
    if code in (-signal.SIGXCPU, -signal.SIGALRM, -signal.SIGKILL):
        return "timeout"
    return "survived" if code == _PASSED else "killed"
