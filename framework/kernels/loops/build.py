"""Compiles the loops: `python framework/kernels/loops/build.py`, from `make`, from the wheel's build and in tests.

Run by its path, because the package around it needs numpy, which may not be installed yet.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from summaries.kernel.compiling import CompiledPart, CompilerError, NoCompilerError

PART: Final = CompiledPart(
    Path(__file__).with_name("loops.c"),
    "The loops of the training core were not compiled, so pooling and normalization are several times slower.",
    ("-lm",),
)


def main() -> int:
    """Compile with threads where the compiler has OpenMP, else without; return the exit status."""
    if not PART.is_built():
        try:
            PART.build(flags=("-fopenmp",))
        except (NoCompilerError, CompilerError, OSError):
            return PART.main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
