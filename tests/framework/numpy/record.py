"""Writes what MindSpore gives for the expressions in `recorded.json`: run it with a Python that has MindSpore 2.10."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("recorded.json")


def plain(value: Any) -> Any:
    """A result as JSON: a tensor is its element type, shape and elements."""
    if hasattr(value, "asnumpy"):
        elements = value.asnumpy().reshape(-1).tolist()
        rounded = [float(f"{item:.7g}") if isinstance(item, float) else item for item in elements]
        return [str(value.dtype), list(value.shape), rounded]
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return value if isinstance(value, int | float | str | bool) else str(value)


def names(ms: Any, np: Any) -> dict[str, Any]:
    """What the expressions name."""
    tensor = ms.Tensor
    return {
        "ms": ms,
        "np": np,
        "Tensor": tensor,
        "inf": float("inf"),
        "i": tensor([[1, 2, 3], [4, 5, 6]], ms.int32),
        "l": tensor([1, 2, 3], ms.int64),
        "f": tensor([[1.5, -2.5, 0.5], [0.25, 4.0, -1.0]], ms.float32),
        "b": tensor([True, False, True]),
        "h": tensor([1.0, 2.0], ms.float16),
        "d": tensor([1.0, 2.0], ms.float64),
    }


if __name__ == "__main__":
    import mindspore
    import mindspore.numpy

    given = names(mindspore, mindspore.numpy)
    found = {expression: plain(eval(expression, dict(given))) for expression in json.loads(FILE.read_text())}  # noqa: S307
    FILE.write_text(
        "{\n" + ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items()) + "\n}\n"
    )
