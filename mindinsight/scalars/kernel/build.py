"""Compiles the loops of queries: `python -m mindinsight.scalars.kernel.build`, from `make`, when a wheel is built, and
in tests.
"""

from __future__ import annotations

import sys
from pathlib import Path

from summaries.kernel.compiling import CompiledPart

PART = CompiledPart(
    Path(__file__).with_name("pixels.c"),
    "The compiled queries were not built, so views of long series take about 4 times longer.",
    ("-lm",),
)

if __name__ == "__main__":
    sys.exit(PART.main())
