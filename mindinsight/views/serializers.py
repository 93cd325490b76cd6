"""The shapes of `api.md`: the form of views, and the allowed names, pages and query strings."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

from rest_framework import serializers

from mindinsight.api.fields import LineField, TextField
from mindinsight.api.problems import COMBINATION

MAX_NAME = 120
MAX_QUERY = 16_000
MAX_PARAMETERS = 200


class SavedViewSerializer(serializers.Serializer[Any]):
    """A saved view."""

    id = serializers.CharField(source="key", help_text="key of its short link")
    name = serializers.CharField()
    page = serializers.CharField()
    query = serializers.CharField(help_text="the query string, without its question mark")
    created = serializers.FloatField(help_text="seconds since 1970")
    changed = serializers.FloatField(help_text="seconds since 1970")


class SavedViewListSerializer(serializers.Serializer[Any]):
    """All saved views, sorted by name."""

    views = SavedViewSerializer(many=True)


# Printable ASCII without characters that addresses must encode. The second set has no 0, so that %00 is impossible.
_LETTER, _NOT_ZERO = r"[!$&-;=?-\[\]-~]", r"[!$&-/1-;=?-\[\]-~]"
_PERCENT = "%(0?%)*0?"
_QUERY = f"^({_LETTER}|{_PERCENT}{_NOT_ZERO})*({_PERCENT})?$"


class QueryField(TextField):
    """A query string in the form that an address can contain."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            max_length=MAX_QUERY, pattern=_QUERY, expected="text that is encoded as in an address", **options
        )

    def to_internal_value(self, data: Any) -> str:
        """Returns the query string without a leading question mark."""
        query = str(super().to_internal_value(data)).removeprefix("?")
        try:
            parse_qsl(query, keep_blank_values=True, max_num_fields=MAX_PARAMETERS)
        except ValueError:
            raise self.refuse(f"it can have at most {MAX_PARAMETERS} parameters", COMBINATION) from None
        return query


class PageField(TextField):
    """The first part of a page's address, such as `scalars`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=32, pattern="^[a-z][a-z-]{0,31}$", expected="the name of a page", **options)


class NewViewSerializer(serializers.Serializer[Any]):
    """The body of `POST /api/views`."""

    name = LineField("a name", MAX_NAME)
    page = PageField(help_text="first part of the page's address, such as scalars")
    query = QueryField(required=False, default="", help_text="the query string of its address")


class ViewChangeSerializer(serializers.Serializer[Any]):
    """The body of `PATCH /api/views/ID`. Fields that are not given stay."""

    name = LineField("a name", MAX_NAME, required=False)
    page = PageField(required=False)
    query = QueryField(required=False)
