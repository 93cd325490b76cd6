"""Writes what all migrations leave in an empty database, which a first start takes instead of migrating, or checks it.

Called by `make schema`, and with `--check` by `make lint`.
"""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SNAPSHOT = ROOT / "mindinsight" / "database" / "schema.sql"
# When a migration was applied is not known beforehand.
_APPLIED = re.compile(r"(INSERT INTO \"django_migrations\" .*),'[^']*'\);")


def snapshot() -> str:
    """Return the statements that make the database that `manage.py migrate` makes."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder, "dashboard.sqlite3")
        surroundings = {"MINDINSIGHT_DATABASE_URL": f"sqlite:///{database}", "MINDINSIGHT_DATA_DIR": folder}
        migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(migrate, cwd=ROOT, env=os.environ | surroundings, check=True)
        with closing(sqlite3.connect(database)) as connection:
            return "".join(_APPLIED.sub(r"\1,CURRENT_TIMESTAMP);", line) + "\n" for line in connection.iterdump())


def main() -> int:
    """Write the file, or with `--check` return 1 where it is stale."""
    fresh = snapshot()
    if sys.argv[1:] != ["--check"]:
        SNAPSHOT.write_text(fresh, encoding="utf-8")
        return 0
    if SNAPSHOT.is_file() and SNAPSHOT.read_text(encoding="utf-8") == fresh:
        return 0
    print(f"{SNAPSHOT.relative_to(ROOT)} is not what the migrations make: run `make schema`.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
