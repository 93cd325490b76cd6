"""Compiles the loops: `python debugging/tensors/kernel/build.py`, from `make`, from the wheel's build and in tests.

Run by its path, because the package around it needs numpy, which may not be installed yet.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from summaries.kernel.compiling import CompiledPart

PART: Final = CompiledPart(
    Path(__file__).with_name("statistics.c"),
    "The debugger's loops were not compiled, so watchpoints cost several times as much.",
    ("-lm", "-lpthread"),
)

if __name__ == "__main__":
    sys.exit(PART.main())
