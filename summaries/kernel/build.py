"""Compiles the C library: `python -m summaries.kernel.build`, called by `make`, the wheel's build and tests."""

import sys
from pathlib import Path

from summaries.kernel.compiling import CompiledPart

PART = CompiledPart(
    Path(__file__).with_name("walk.c"),
    "The compiled reader was not built, so event files are read about 20 times slower.",
)

if __name__ == "__main__":
    sys.exit(PART.main())
