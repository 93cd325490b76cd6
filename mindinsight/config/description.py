"""Makes the API's description, for its page and for `make openapi`. Named in the settings; imported when asked for."""

from __future__ import annotations

from typing import Any

from drf_spectacular.generators import SchemaGenerator

from mindinsight.config.described import describe


class Description(SchemaGenerator):
    """The generator of drf-spectacular, told first what the views say."""

    def get_schema(self, *args: Any, **options: Any) -> Any:
        """Returns the description as OpenAPI."""
        describe()
        return super().get_schema(*args, **options)  # type: ignore[no-untyped-call]
