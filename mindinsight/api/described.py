"""Keeps the schemas that views declare until somebody asks for the description of the API.

Views use `extend_schema` as drf-spectacular's documentation says. The original decorator would import all of
drf-spectacular into every web server: four megabytes, most of them a test client.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

View = TypeVar("View", bound=Callable[..., Any])

DECLARED: list[tuple[Callable[..., Any], dict[str, Any]]] = []
"""The declarations of all views, each with its method."""
_applied: set[Callable[..., Any]] = set()


def extend_schema(**schema: Any) -> Callable[[View], View]:
    """Takes the arguments of `drf_spectacular.utils.extend_schema` for a view's method."""

    def remember(view: View) -> View:
        DECLARED.append((view, schema))
        return view

    return remember


def describe() -> None:
    """Passes the declarations since the last call to drf-spectacular."""
    from drf_spectacular.utils import extend_schema as apply

    for view, schema in DECLARED:
        if view not in _applied:
            apply(**schema)(view)
            _applied.add(view)
