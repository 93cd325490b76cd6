"""Compiles the loops of the store: `python -m mindinsight.store.kernel.build`, from `make`, when a wheel is built, and
in tests.
"""

from __future__ import annotations

import sys
from pathlib import Path

from summaries.kernel.compiling import CompiledPart

PART = CompiledPart(
    Path(__file__).with_name("levels.c"),
    "The compiled summaries were not built, so large back-logs take about 2 times longer.",
)

if __name__ == "__main__":
    sys.exit(PART.main())
