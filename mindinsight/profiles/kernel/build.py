"""Compiles the loops of profiles: `python -m mindinsight.profiles.kernel.build`, from `make`, when a wheel is built,
and in tests.
"""

from __future__ import annotations

import sys
from pathlib import Path

from summaries.kernel.compiling import CompiledPart

PART = CompiledPart(
    Path(__file__).with_name("traces.c"),
    "The compiled reader of traces was not built, so the first opening of a profile takes about 4 times longer.",
)

if __name__ == "__main__":
    sys.exit(PART.main())
