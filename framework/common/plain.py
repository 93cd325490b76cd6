"""`MS_PLAIN=1`: programs run by their plain meaning, without any fast path. Read once, here."""

from __future__ import annotations

import os
from typing import Final

__all__ = ["PLAIN", "VARIABLE"]

VARIABLE: Final = "MS_PLAIN"
"""The environment variable."""
PLAIN: Final = os.environ.get(VARIABLE, "0") not in ("", "0")
"""Whether every fast path is off: generated calls, generated kernels, native segments, memory reuse, guards."""
