"""Schemas that views declare for the API's description, kept until somebody asks for the description.

Views are decorated with `extend_schema` as drf-spectacular's own documentation says. Its own decorator would import the
whole of it with every web server: four megabytes, most of them a test client.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

View = TypeVar("View", bound=Callable[..., Any])

DECLARED: list[tuple[Callable[..., Any], dict[str, Any]]] = []
"""What views have declared, each with its method."""
_applied: set[Callable[..., Any]] = set()


def extend_schema(**schema: Any) -> Callable[[View], View]:
    """Takes what `drf_spectacular.utils.extend_schema` takes, for a view's method."""

    def remember(view: View) -> View:
        DECLARED.append((view, schema))
        return view

    return remember


def describe() -> None:
    """Passes to drf-spectacular what was declared since the last call."""
    from drf_spectacular.utils import extend_schema as apply

    for view, schema in DECLARED:
        if view not in _applied:
            apply(**schema)(view)
            _applied.add(view)
