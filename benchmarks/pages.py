"""What a person waits for in the browser, on our pages and on TensorBoard's, with the same files, and on Aim's.

Chromium opens each page in a fresh context, and a moment counts when a screenshot shows it: painting is part of it, and
both dashboards are timed alike. TensorBoard is opened when it has loaded everything, because its page stays empty when
it is opened earlier; that is its best case. "Longest frame" is the longest time between two frames. Each part has a
limit: who does not finish in time is named with it, and what was measured until then stands.
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
