"""The size of a value in bytes, from the text of its type. Used for the edges of a scene and for its overlays."""

from __future__ import annotations

import re
from math import prod

_TENSOR = re.compile(r"([A-Za-z]+)(\d+)?(?:_\w+)?\[([-\d,? ]*)\]")
_BITS = {"Bool": 8, "Float": 32, "Int": 32, "UInt": 32, "BFloat": 16, "Double": 64, "Half": 16, "Complex": 64}


def bytes_of(text: str) -> int:
    """Returns the bytes of the tensors in a type. -1 if it has no tensors or an unknown shape."""
    total, found = 0, False
    for name, bits, shape in _TENSOR.findall(text):
        width = int(bits) if bits else _BITS.get(name, 0)
        dimensions = [part.strip() for part in shape.split(",") if part.strip()]
        if not width or not all(part.isdigit() for part in dimensions):
            return -1
        total += max(1, width // 8) * prod(map(int, dimensions))
        found = True
    return min(total, (1 << 62) - 1) if found else -1
