"""A second try for tests that wait for somebody else: a browser, another program, the other end of a socket."""

from __future__ import annotations

from pathlib import Path

import pytest

FOLDERS = (
    *("e2e", "topology", "examples", "packaging"),
    *("framework/debugger", "mindinsight/debugger", "mindinsight/live", "mindinsight/supervisor", "mindinsight/cli"),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needed its second try is listed at the end; see `docs/architecture/testing.md`."""
    folders = {Path(__file__).parent / folder for folder in FOLDERS}
    for item in items:
        if not folders.isdisjoint(item.path.parents):
            item.add_marker(pytest.mark.flaky(reruns=1))
        if item.get_closest_marker("fast_path") is not None and is_plain():
            item.add_marker(pytest.mark.skip(reason="MS_PLAIN is set, and this test checks a fast path"))


def is_plain() -> bool:
    """Whether fast paths are off; for tests of the core alone, which have imported it."""
    from framework.common.plain import PLAIN

    return PLAIN


@pytest.fixture(scope="session")
def django_db_modify_db_settings_xdist_suffix() -> None:
    """Leaves the database's name alone: it is in memory, so each worker has its own.

    pytest-django does so by itself only for Django's own SQLite engine, from which `mindinsight.database` derives.
    """
