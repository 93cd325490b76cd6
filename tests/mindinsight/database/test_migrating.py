"""A database that is made, brought up to date and left alone, in processes of their own."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
import sys
from pathlib import Path
from mindinsight.config.django_setup import set_up
set_up()
from mindinsight.database import migrating
migrating.SNAPSHOT = Path(sys.argv[1])
migrating.migrate_once()
print("django.db.migrations.executor" in sys.modules)
"""


def run(command: list[str], data: Path) -> str:
    environment = os.environ | {
        "MINDINSIGHT_DATA_DIR": str(data),
        "MINDINSIGHT_DATABASE_URL": f"sqlite:///{data / 'dashboard.sqlite3'}",
        "MINDINSIGHT_SECRET_KEY": "unused",
    }
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def migrate_once(data: Path, snapshot: Path = ROOT / "mindinsight" / "database" / "schema.sql") -> bool:
    """Returns whether Django's own migrations had work to do."""
    return run(["-c", PROGRAM, str(snapshot)], data) == "True"


def applied(data: Path) -> set[tuple[str, str]]:
    """App and name of the migrations that a database has."""
    with closing(sqlite3.connect(data / "dashboard.sqlite3")) as database:
        return set(database.execute("SELECT app, name FROM django_migrations"))


def content(data: Path) -> list[str]:
    """All tables, indexes and migrations, without the times at which those were applied."""
    with closing(sqlite3.connect(data / "dashboard.sqlite3")) as database:
        database.execute("UPDATE django_migrations SET applied = 0")
        return sorted(database.iterdump())


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database that Django's command has made, migration by migration."""
    data = tmp_path_factory.mktemp("migrated")
    run(["manage.py", "migrate", "--verbosity", "0"], data)
    return data


def test_a_new_database_is_what_all_migrations_make(migrated: Path, tmp_path: Path) -> None:
    assert not migrate_once(tmp_path)
    assert content(tmp_path) == content(migrated)


def test_nothing_is_done_where_nothing_is_pending(migrated: Path) -> None:
    before = content(migrated)
    assert not migrate_once(migrated)
    assert content(migrated) == before


def test_an_older_database_is_migrated(migrated: Path, tmp_path: Path) -> None:
    run(["manage.py", "migrate", "runs", "0006", "--verbosity", "0"], tmp_path)
    assert applied(tmp_path) < applied(migrated)
    assert migrate_once(tmp_path)
    assert applied(tmp_path) == applied(migrated)


def test_a_snapshot_that_is_behind_is_caught_up_with(migrated: Path, tmp_path: Path) -> None:
    """As if somebody had added a migration without updating the snapshot."""
    old, data, snapshot = tmp_path / "old", tmp_path / "data", tmp_path / "old.sql"
    old.mkdir()
    run(["manage.py", "migrate", "runs", "0006", "--verbosity", "0"], old)
    with closing(sqlite3.connect(old / "dashboard.sqlite3")) as database:
        snapshot.write_text("\n".join(database.iterdump()), encoding="utf-8")
    assert migrate_once(data, snapshot)
    assert applied(data) == applied(migrated)
