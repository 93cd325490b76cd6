"""The values that a compiled program has read from its environment: globals, variables of closures, attributes.

Inference makes them constants, so the program is valid as long as they are the same. Most are compared by
identity, numbers and texts by value, lists and dictionaries by their contents at any depth.
"""

from __future__ import annotations

from types import BuiltinMethodType, MethodType, MethodWrapperType
from typing import Any

import numpy as np

__all__ = ["ATTRIBUTE", "CELL", "GLOBAL", "Held", "Read", "fresh", "same", "snapshot"]

GLOBAL, CELL, ATTRIBUTE = "global", "variable of a closure", "attribute"
_BY_VALUE = (bool, int, float, complex, str, bytes, np.generic)
_METHODS = (MethodType, BuiltinMethodType, MethodWrapperType)
_ABSENT = object()


class Read:
    """One value that was read.

    Args:
        what: the name, for people.
        kind: how it was read. GLOBAL: `owner[name]`; CELL: `owner.cell_contents`; ATTRIBUTE: `owner.name`.
        owner: the object that it was read from.
        value: the value at that time.

    Attributes:
        value: the value at that time. Lists and dictionaries are copied, because they may change in place.
    """

    __slots__ = ("kind", "owner", "value", "what")

    def __init__(self, what: str, kind: str, owner: Any, value: Any) -> None:
        self.what = what
        self.kind = kind
        self.owner = owner
        self.value = snapshot(value)

    @property
    def current(self) -> Any:
        """The present value; a unique object if it no longer exists."""
        try:
            if self.kind == GLOBAL:
                return self.owner[self.what]
            return self.owner.cell_contents if self.kind == CELL else getattr(self.owner, self.what)
        except (KeyError, AttributeError, ValueError):
            return _ABSENT

    @property
    def unchanged(self) -> bool:
        """Whether the value is still the same."""
        return same(self.current, self.value)

    @property
    def key(self) -> tuple[str, int, str]:
        """A key that is equal for two reads of the same value, as long as the first read exists."""
        return self.kind, id(self.owner), self.what


class Held:
    """The snapshot of an object that can change in place.

    Attributes:
        item: the object, or the type of a list or dictionary: these are compared by their contents only.
        parts: its items at that time.
    """

    __slots__ = ("item", "parts")

    def __init__(self, item: Any, parts: Any) -> None:
        self.item = item
        self.parts = parts

    def __repr__(self) -> str:
        return repr(self.item)


def snapshot(value: Any) -> Any:
    """A copy of a value for a later comparison by `same`."""
    if isinstance(value, list | tuple):
        items = [snapshot(item) for item in value]
        if isinstance(value, tuple) and all(part is item for part, item in zip(items, value, strict=True)):
            return value
        return Held(type(value), items)
    if isinstance(value, dict):
        return Held(type(value), {key: snapshot(item) for key, item in value.items()})
    if isinstance(value, set):
        return Held(set, value.copy())
    if isinstance(value, np.ndarray):
        return Held(np.ndarray, value.copy())
    parts = _parts(value)
    return value if parts is None else Held(value, [(name, _of_part(value, part)) for name, part in parts])


def _parts(value: Any) -> list[tuple[str, Any]] | None:
    """The parts of an object that programs use unnamed: Cells of a Cell, attributes of a primitive, an array."""
    if isinstance(value, type):
        return None
    if isinstance(own := getattr(value, "__dict__", None), dict):
        held = own.get("_cells", own.get("attrs"))
        if isinstance(held, dict):
            return list(held.items())
    return [("_data", value._data)] if _is_tensor(value) else None


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "_data") and hasattr(value, "_node") and not hasattr(value, "requires_grad")


def _of_part(value: Any, part: Any) -> Any:
    return snapshot(part) if "attrs" in getattr(value, "__dict__", ()) else part


def same(now: Any, then: Any) -> bool:
    """Whether a value equals its snapshot."""
    if now is then:
        return True
    if isinstance(then, Held):
        return _holds(now, then)
    if type(now) is not type(then):
        return False
    if isinstance(now, _METHODS):
        return bool(now == then)
    if isinstance(now, tuple):
        return len(now) == len(then) and all(map(same, now, then))
    return isinstance(now, _BY_VALUE) and repr(now) == repr(then)


def _holds(now: Any, then: Held) -> bool:
    item, parts = then.item, then.parts
    if isinstance(item, type):
        return type(now) is item and _same_items(now, parts)
    # A property may make a tensor anew whenever it is read.
    held = _parts(now) if now is item or (type(now) is type(item) and _is_tensor(item)) else None
    return (
        held is not None
        and len(held) == len(parts)
        and all(
            one == other and (same(part, was) or (now is not item and _same_arrays(part, was)))
            for (one, part), (other, was) in zip(held, parts, strict=True)
        )
    )


def _same_items(now: Any, then: Any) -> bool:
    """Whether a container of the same type has the same items."""
    if isinstance(then, np.ndarray):
        return _same_arrays(now, then)
    if isinstance(then, set):
        return bool(now == then)
    if isinstance(then, dict):
        return list(now) == list(then) and all(same(now[key], then[key]) for key in then)
    return len(now) == len(then) and all(map(same, now, then))


def _same_arrays(now: Any, then: Any) -> bool:
    return isinstance(now, np.ndarray) and now.dtype == then.dtype and np.array_equal(now, then)


def fresh(reads: list[Read]) -> bool:
    """Whether all values are still the same."""
    return all(read.unchanged for read in reads)
