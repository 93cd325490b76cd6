"""The order of tests, and a second try for those that wait for a browser, another program or the end of a socket."""

from __future__ import annotations

from pathlib import Path

import pytest

FOLDERS = (
    *("e2e", "topology", "examples", "packaging"),
    *(
        "framework/dataset/runtime",
        "framework/debugger",
        "mindinsight/debugger",
        "mindinsight/live",
        "mindinsight/supervisor",
        "mindinsight/cli",
    ),
)

# These files take longest. One that began last would keep one process busy while the others have nothing left to do.
FIRST = (
    "summaries/test_sanitizers.py",
    "packaging/test_wheel.py",
    "e2e/test_accessibility.py",
    "packaging/test_make_run.py",
    "mindinsight/database/test_damaged_database.py",
    "framework/engine/test_switches.py",
    "framework/engine/test_native.py",
    "framework/oracle/test_training.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needed its second try is listed at the end; see `docs/architecture/testing.md`."""
    first = {Path(__file__).parent / name: place for place, name in enumerate(FIRST)}
    items.sort(key=lambda item: first.get(item.path, len(first)))
    folders = {Path(__file__).parent / folder for folder in FOLDERS}
    # Once for each file: there are many thousand tests.
    paths = {item.path for item in items}
    tried_twice = {path for path in paths if not folders.isdisjoint(path.parents)}
    for item in items:
        if item.path in tried_twice:
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
