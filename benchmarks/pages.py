"""Waiting times in the browser, on our pages and on TensorBoard's, with the same files, and on Aim's.

Chromium opens each page in a new context. A moment counts when a screenshot shows it, so painting is included, and both
dashboards are timed in the same way. TensorBoard is opened when it has loaded everything, because its page stays empty
when it is opened earlier; this is its best case. "Longest frame" is the longest time between two frames. Each part has
a time limit: the table names parts that did not finish, with the figures measured until then.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring import page_aim, page_live, page_many, page_points
from benchmarks.measuring.figures import run

MEASUREMENTS = page_points.MEASUREMENTS | page_many.MEASUREMENTS | page_live.MEASUREMENTS | page_aim.MEASUREMENTS

if __name__ == "__main__":
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
