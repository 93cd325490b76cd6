"""Calls in threads; the thread that finished last gets the next call."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from mindinsight.config.threads import LatestFirst

PATIENCE_S = 20


@pytest.fixture
def threads(request: pytest.FixtureRequest) -> Iterator[LatestFirst]:
    found = LatestFirst(3, request.node.name)
    yield found
    found.shutdown()


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def alive(request: pytest.FixtureRequest) -> set[str]:
    return {thread.name for thread in threading.enumerate() if thread.name.startswith(request.node.name)}


def test_results_and_errors_come_back(threads: LatestFirst) -> None:
    assert threads.submit(divmod, 7, 2).result(PATIENCE_S) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        threads.submit(divmod, 7, 0).result(PATIENCE_S)


def test_calls_one_after_the_other_need_one_thread(threads: LatestFirst) -> None:
    names = set()
    for _ in range(50):
        names.add(threads.submit(lambda: threading.current_thread().name).result(PATIENCE_S))
        until(lambda: len(threads._idle) == 1)
    assert len(names) == 1


def test_so_many_run_at_once_and_the_others_wait(threads: LatestFirst, request: pytest.FixtureRequest) -> None:
    meeting, free = threading.Barrier(4, timeout=PATIENCE_S), threading.Event()

    def meet() -> None:
        meeting.wait()
        free.wait(PATIENCE_S)

    met = [threads.submit(meet) for _ in range(3)]
    more = [threads.submit(int, number) for number in range(10)]
    meeting.wait()
    assert not any(call.done() for call in more)
    free.set()
    assert [call.result(PATIENCE_S) for call in more] == list(range(10))
    assert all(call.result(PATIENCE_S) is None for call in met)
    assert len(alive(request)) == 3


def test_what_was_cancelled_is_not_called(threads: LatestFirst) -> None:
    free, called = threading.Event(), threading.Event()
    for _ in range(3):
        threads.submit(free.wait, PATIENCE_S)
    waiting = threads.submit(called.set)
    assert waiting.cancel()
    free.set()
    assert threads.submit(lambda: 1).result(PATIENCE_S) == 1
    assert not called.is_set()


def test_threads_end_when_they_have_nothing_more_to_do(threads: LatestFirst, request: pytest.FixtureRequest) -> None:
    free = threading.Event()
    busy = [threads.submit(free.wait, PATIENCE_S) for _ in range(4)]
    threads.shutdown()
    assert len(alive(request)) == 3
    free.set()
    assert all(call.result(PATIENCE_S) for call in busy)
    until(lambda: not alive(request))
