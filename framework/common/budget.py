"""The most memory that a compiled program may take: set by `context.set_context`, read after each compilation."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["limit", "set_limit"]

_UNITS: Final = {"KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}
_limit: int | None = None


def limit() -> int | None:
    """The most bytes, None if nothing is set."""
    return _limit


def set_limit(size: str | None) -> None:
    """Let programs that are compiled from now on take so much memory.

    Args:
        size: a number and KB, MB or GB, as `"1.5GB"`, in powers of 1024; None for any amount.

    Raises:
        ValueError: it is no such text.

    """
    global _limit
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMG]B)\s*", size, re.IGNORECASE) if isinstance(size, str) else None
    if size is not None and found is None:
        raise ValueError(f'max_device_memory must be a number and KB, MB or GB, such as "1.5GB", not {size!r}')
    _limit = None if found is None else int(float(found[1]) * _UNITS[found[2].upper()])
