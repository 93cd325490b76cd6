"""Makes the API's description, for its page and for `make openapi`. Named in the settings; imported when asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from drf_spectacular.generators import SchemaGenerator

from mindinsight.config.described import describe
from mindinsight.config.urls import APPS

_WRITING = {"post", "put", "patch", "delete"}
# The exception handler (`answers.py`) answers so whatever view writes.
_NO_ROOM = {
    "description": "Nothing was changed: a disk is full (`disk_full`), read-only (`disk_read_only`) or fails "
    "(`disk_failing`). `detail` has its `directory` and the bytes that are `free` there.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
}


class Description(SchemaGenerator):
    """The generator of drf-spectacular, told first what the views say."""

    def get_schema(self, *args: Any, **options: Any) -> Any:
        """Returns the description as OpenAPI."""
        # Views of apps that nobody has asked for yet have not said anything.
        for module in APPS.values():
            import_module(module)
        describe()
        schema = super().get_schema(*args, **options)  # type: ignore[no-untyped-call]
        for methods in schema["paths"].values():
            for method in _WRITING & methods.keys():
                methods[method]["responses"]["507"] = _NO_ROOM
        return schema
