"""The shapes of `api.md`: what views look like, and which names, pages and query strings are taken."""

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

    id = serializers.CharField(source="key", help_text="what its short link ends with")
    name = serializers.CharField()
    page = serializers.CharField()
    query = serializers.CharField(help_text="the query string, without its question mark")
    created = serializers.FloatField(help_text="seconds since 1970")
    changed = serializers.FloatField(help_text="seconds since 1970")


class SavedViewListSerializer(serializers.Serializer[Any]):
    """All saved views in order of their names."""

    views = SavedViewSerializer(many=True)


# Printable ASCII but for what cannot stand in an address as it is; the second is without 0, and so no %00 comes about.
_LETTER, _NOT_ZERO = r"[!$&-;=?-\[\]-~]", r"[!$&-/1-;=?-\[\]-~]"
_PERCENT = "%(0?%)*0?"
_QUERY = f"^({_LETTER}|{_PERCENT}{_NOT_ZERO})*({_PERCENT})?$"


class QueryField(TextField):
    """A query string that can stand in an address as it is."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            max_length=MAX_QUERY, pattern=_QUERY, expected="text that is encoded as in an address", **options
        )

    def to_internal_value(self, data: Any) -> str:
        """Returns the query string without a question mark in front."""
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
    """What `POST /api/views` takes."""

    name = LineField("a name", MAX_NAME)
    page = PageField(help_text="first part of the page's address, such as scalars")
    query = QueryField(required=False, default="", help_text="the query string of its address")


class ViewChangeSerializer(serializers.Serializer[Any]):
    """What `PATCH /api/views/ID` takes; what is not named stays."""

    name = LineField("a name", MAX_NAME, required=False)
    page = PageField(required=False)
    query = QueryField(required=False)
