"""A follower that is turned by hand, so that tests decide when it looks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mindinsight.environment import Environment
from mindinsight.ingest.follower import Follower
from mindinsight.runs import queries

Turn = Callable[[], None]


@pytest.fixture
def make_follower(environment: Environment, transactional_db: None) -> Callable[[], Follower]:
    """Makes followers of the test's base directory; the second plays the worker that comes after the first."""
    return lambda: Follower(environment)


def read_all(follower: Follower) -> None:
    """Turns until everything that is on disk is read, and writes it back."""
    for _ in range(1000):
        follower.look_again()
        follower.turn()
        rows = queries.rows()
        if rows and all(row["bytes_read"] == row["bytes"] for row in rows):
            return
    raise AssertionError("the follower never came to the end of the files")
