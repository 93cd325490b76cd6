"""Lists the objects of a store that the dashboard can show. Called by `copying`, through fsspec."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from summaries.naming import MAX_DEPTH, parse_name

GRAPH_SUFFIX = ".pb"
_LONGEST_NAME = 255


class Store(Protocol):
    """The calls of an fsspec file system that are used here."""

    def find(self, path: str, *, detail: bool) -> dict[str, dict[str, Any]]:
        """Describe all objects below a path, by name."""

    def info(self, path: str) -> dict[str, Any]:
        """Describe one object."""

    def cat_file(self, path: str, *, start: int, end: int) -> bytes:
        """Read bytes of an object."""

    def invalidate_cache(self) -> None:
        """Forget what was listed."""


class Listed(NamedTuple):
    """One object.

    Attributes:
        key: its name in the store.
        relative: its path below the address.
        size: number of its bytes.
        version: changes whenever its content does.
        modified: when it was written, in seconds since 1970.
    """

    key: str
    relative: str
    size: int
    version: str
    modified: float


def list_objects(store: Store, root: str) -> dict[str, Listed]:
    """Return the event files and graphs below a path, by their relative path.

    Objects with names that are no paths (with `..`, for example) are left out, and so are those deeper than the
    dashboard looks.

    Args:
        store: the file system.
        root: bucket and path.

    Raises:
        OSError: the store cannot be read. Its packages raise errors of other types, too.
    """
    store.invalidate_cache()
    found = {}
    for key, description in store.find(root, detail=True).items():
        relative = key.removeprefix(root).lstrip("/")
        if description.get("type") == "file" and key.startswith(f"{root}/") and _is_wanted(relative):
            found[relative] = described(key, relative, description)
    return found


def described(key: str, relative: str, description: Mapping[str, Any]) -> Listed:
    """Make an object from its description.

    Args:
        key: its name in the store.
        relative: its path below the address.
        description: as fsspec gives it.
    """
    version = description.get("ETag") or description.get("generation") or description.get("etag") or ""
    when = description.get("LastModified") or description.get("mtime") or description.get("updated")
    return Listed(key, relative, int(description.get("size") or 0), str(version), _seconds(when))


def _is_wanted(relative: str) -> bool:
    parts = relative.split("/")
    if len(parts) > MAX_DEPTH + 1 or not relative.isprintable():
        return False
    if any(part.startswith(".") or not 0 < len(part.encode()) <= _LONGEST_NAME for part in parts):
        return False
    return parse_name(parts[-1]) is not None or parts[-1].endswith(GRAPH_SUFFIX)


def _seconds(when: object) -> float:
    if isinstance(when, datetime.datetime):
        return when.timestamp()
    if isinstance(when, str):
        return datetime.datetime.fromisoformat(when).timestamp()
    return float(when) if isinstance(when, int | float) else 0.0
