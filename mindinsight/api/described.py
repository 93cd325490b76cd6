"""What views say for the API's description, kept aside until somebody asks for it.

Views are decorated with `extend_schema` as drf-spectacular's own documentation says. Its own decorator would import the
whole of it with every web server: four megabytes, most of them a test client.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

View = TypeVar("View", bound=Callable[..., Any])

SAID: list[tuple[Callable[..., Any], dict[str, Any]]] = []
"""What views have said of themselves, with the method that each speaks of."""
_told: set[Callable[..., Any]] = set()


def extend_schema(**said: Any) -> Callable[[View], View]:
    """Takes what `drf_spectacular.utils.extend_schema` takes, for a view's method."""

    def remember(view: View) -> View:
        SAID.append((view, said))
        return view

    return remember


def describe() -> None:
    """Tells drf-spectacular what was said since it was told last."""
    from drf_spectacular.utils import extend_schema as tell

    for view, said in SAID:
        if view not in _told:
            tell(**said)(view)
            _told.add(view)
