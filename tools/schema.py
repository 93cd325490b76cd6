"""Writes or checks the schema that all migrations create; the first start uses it instead of migrating.

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
# The times at which migrations are applied are not known in advance.
_APPLIED = re.compile(r"(INSERT INTO \"django_migrations\" .*),'[^']*'\);")


def snapshot() -> str:
    """Return the statements that create the same database as `manage.py migrate`."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder, "dashboard.sqlite3")
        environment = {"MINDINSIGHT_DATABASE_URL": f"sqlite:///{database}", "MINDINSIGHT_DATA_DIR": folder}
        migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(migrate, cwd=ROOT, env=os.environ | environment, check=True)
        with closing(sqlite3.connect(database)) as connection:
            return "".join(_APPLIED.sub(r"\1,CURRENT_TIMESTAMP);", line) + "\n" for line in connection.iterdump())


def main() -> int:
    """Write the file, or with `--check` return 1 if it is out of date."""
    fresh = snapshot()
    if sys.argv[1:] != ["--check"]:
        SNAPSHOT.write_text(fresh, encoding="utf-8")
        return 0
    if SNAPSHOT.is_file() and SNAPSHOT.read_text(encoding="utf-8") == fresh:
        return 0
    print(f"{SNAPSHOT.relative_to(ROOT)} does not match the migrations: run `make schema`.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
