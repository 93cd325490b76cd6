"""What views say for the API's description, kept aside until somebody asks for it.

Views are decorated with `extend_schema` as drf-spectacular's own documentation says. Its own decorator would import the
whole of it with every web server: four megabytes, most of them a test client.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

View = TypeVar("View", bound=Callable[..., Any])

_said: list[tuple[Callable[..., Any], dict[str, Any]]] = []


def extend_schema(**said: Any) -> Callable[[View], View]:
    """Takes what `drf_spectacular.utils.extend_schema` takes, for a view's method."""

    def remember(view: View) -> View:
        _said.append((view, said))
        return view

    return remember


def describe() -> None:
    """Tells drf-spectacular what was said so far."""
    from drf_spectacular.utils import extend_schema as tell

    for view, said in _said:
        tell(**said)(view)
    _said.clear()
