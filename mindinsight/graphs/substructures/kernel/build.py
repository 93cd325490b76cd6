"""Compiles the recognition's loops: `python -m mindinsight.graphs.substructures.kernel.build`, from `make`, when a
wheel is built, and in tests.
"""

from __future__ import annotations

import sys
from pathlib import Path

from summaries.kernel.compiling import CompiledPart

PART = CompiledPart(
    Path(__file__).with_name("repeats.c"),
    "The compiled recognition was not built, so repeats in graphs are found about 50 times slower.",
)

if __name__ == "__main__":
    sys.exit(PART.main())
