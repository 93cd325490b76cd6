"""A follower that is turned by hand, so that tests decide when it looks."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from mindinsight.environment import Environment
from mindinsight.ingest.follower import Follower
from mindinsight.runs import queries

Turn = Callable[[], None]
# A follower that reads nothing more for so long reads nothing at all: longer than it waits after an error.
_PATIENT_TURNS, _PATIENCE_S = 20, 5.0


@pytest.fixture
def make_follower(environment: Environment, transactional_db: None) -> Callable[[], Follower]:
    """Makes followers of the test's base directory; the second plays the worker that comes after the first."""
    return lambda: Follower(environment)


def read_all(follower: Follower) -> None:
    """Turns until everything that is on disk is read, and writes it back; fails where nothing more is read."""
    furthest, turns, since = -1, 0, time.monotonic()
    while turns < _PATIENT_TURNS or time.monotonic() < since + _PATIENCE_S:
        follower.look_again()
        follower.turn()
        rows = queries.rows()
        if rows and all(row["bytes_read"] == row["bytes"] for row in rows):
            return
        turns += 1
        if (read := sum(row["bytes_read"] for row in rows)) > furthest:
            furthest, turns, since = read, 0, time.monotonic()
    raise AssertionError("the follower never came to the end of the files")


def wait_for(condition: Callable[[], object]) -> None:
    """Waits until another thread has done something."""
    until = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < until, "it never came"
        time.sleep(0.002)
