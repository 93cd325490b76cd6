"""The shapes of `api.md`: what views look like, and which names, pages and query strings are taken."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, unquote

from rest_framework import serializers

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


class NameField(serializers.CharField):
    """A name on one line."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=MAX_NAME, **options)

    def to_internal_value(self, data: Any) -> str:
        """Returns the name without spaces around it."""
        name = str(super().to_internal_value(data))
        if not name.isprintable():
            raise serializers.ValidationError("a name cannot have line breaks or control characters in it")
        return name


class QueryField(serializers.CharField):
    """A query string that can stand in an address as it is."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=MAX_QUERY, allow_blank=True, trim_whitespace=False, **options)

    def to_internal_value(self, data: Any) -> str:
        """Returns the query string without a question mark in front."""
        query = str(super().to_internal_value(data)).removeprefix("?")
        if not query.isascii() or not query.isprintable() or any(letter in query for letter in ' #"<>\\'):
            raise serializers.ValidationError("it has to be encoded as in an address")
        if "\0" in unquote(query):
            raise serializers.ValidationError("it cannot have zero bytes in it")
        try:
            parse_qsl(query, keep_blank_values=True, max_num_fields=MAX_PARAMETERS)
        except ValueError:
            raise serializers.ValidationError(f"it can have at most {MAX_PARAMETERS} parameters") from None
        return query


class _ViewFields(serializers.Serializer[Any]):
    """Takes no names that it does not know: one that is spelt wrong would silently change nothing."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict) and (unknown := sorted(str(name) for name in data.keys() - self.fields.keys())):
            raise serializers.ValidationError({unknown[0]: f"a view has only {', '.join(self.fields)}"})
        return super().to_internal_value(data)


_PAGE = r"^[a-z][a-z-]{0,31}\Z"


class NewViewSerializer(_ViewFields):
    """What `POST /api/views` takes."""

    name = NameField()
    page = serializers.RegexField(
        _PAGE, trim_whitespace=False, help_text="first part of the page's address, such as scalars"
    )
    query = QueryField(required=False, default="", help_text="the query string of its address")


class ViewChangeSerializer(_ViewFields):
    """What `PATCH /api/views/ID` takes; what is not named stays."""

    name = NameField(required=False)
    page = serializers.RegexField(_PAGE, trim_whitespace=False, required=False)
    query = QueryField(required=False)
