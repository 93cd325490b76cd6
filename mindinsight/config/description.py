"""Makes the API's description, for its page and for `make openapi`. Named in the settings; imported when needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from drf_spectacular.generators import SchemaGenerator

from mindinsight.api.common_answers import complete
from mindinsight.api.described import describe
from mindinsight.config.urls import APPS


class Description(SchemaGenerator):
    """drf-spectacular's generator with the schemas of all views."""

    def get_schema(self, *args: Any, **options: Any) -> Any:
        """Returns the description as OpenAPI."""
        # Apps that have had no request yet have not declared their views.
        for module in APPS.values():
            import_module(module)
        describe()
        return complete(super().get_schema(*args, **options))  # type: ignore[no-untyped-call]
