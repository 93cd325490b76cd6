"""What holds for every test, loaded by pytest with `-p` before anything else.

The tests' own process gets a workspace of its own before Django reads its settings, and generated cases have no
deadline: a busy machine is no defect. `MINDINSIGHT_TEST_COUNTS=long` multiplies them; `few` makes the same few cases
every time. Python keeps compiled modules, whatever PYTHONDONTWRITEBYTECODE says: pytest and the hundreds of processes
that tests start would otherwise compile the tests, the plugins and the product anew, for seconds each.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

from hypothesis import settings  # noqa: E402 -- compiled modules of it are kept, too

ROOT = Path(tempfile.mkdtemp(prefix="mindinsight-tests-"))
atexit.register(shutil.rmtree, ROOT, ignore_errors=True)

(ROOT / "summaries").mkdir()
for name in [name for name in os.environ if name.startswith("MINDINSIGHT_") and "TEST" not in name]:
    del os.environ[name]
os.environ.update(
    MINDINSIGHT_WORKSPACE=str(ROOT / "workspace"),
    MINDINSIGHT_DATA_DIR=str(ROOT / "data"),
    MINDINSIGHT_SUMMARY_BASE_DIR=str(ROOT / "summaries"),
    # Nobody listens there: a test that needs a broker starts one.
    MINDINSIGHT_REDIS_URL=f"unix://{ROOT}/no-redis.sock",
)

settings.register_profile("usual", settings.get_profile("ci" if os.environ.get("CI") else "default"), deadline=None)
settings.register_profile("long", deadline=None, max_examples=2000)
settings.register_profile("few", deadline=None, max_examples=10, derandomize=True, database=None)
counts = os.environ.get("MINDINSIGHT_TEST_COUNTS")
settings.load_profile(counts if counts in ("few", "long") else "usual")
