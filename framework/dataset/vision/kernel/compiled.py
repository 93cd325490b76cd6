"""Compiles the loops: `python framework/dataset/vision/kernel/compiled.py`, from `make` and from the wheel's build.

Run by its path, because the package around it needs numpy, which may not be installed yet.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[4]))

from summaries.kernel.compiling import CompiledPart

PART: Final = CompiledPart(
    Path(__file__).with_name("pixels.c"),
    "The loops of image transforms were not compiled, so crops, normalization and changes of the hue are slower.",
    ("-lm",),
)

if __name__ == "__main__":
    sys.exit(PART.main())
