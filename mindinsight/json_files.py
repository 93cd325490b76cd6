"""Small JSON files that one process writes and others read: a reader finds the old content or the new one.

Used for notices, and for the state of the copy of an object store.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def write_json(path: Path, content: object) -> None:
    """Replaces a file at once.

    Raises:
        OSError: the disk is full, or something else prevents writing.
    """
    draft = path.with_name(f".{path.name}")
    draft.write_text(json.dumps(content), encoding="utf-8")
    draft.replace(path)


def read_json(path: Path) -> Any:
    """Returns the content of a file; None if it does not exist, cannot be read, or is no JSON."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
