"""Path converters for Django's `path`, named by the `urls.py` of the apps.

A converter matches the whole part, unlike `$` in a regular expression, which matches before a line break at the end.
"""

from __future__ import annotations

from django.urls import register_converter


class _Id:
    """An id of 32 hexadecimal digits: of a run, of an export."""

    regex = "[0-9a-f]{32}"

    def to_python(self, value: str) -> str:
        """Returns the part unchanged."""
        return value

    def to_url(self, value: str) -> str:
        """Returns the part unchanged."""
        return value


class _SessionKey(_Id):
    """An id of a session of the debugger."""

    regex = "[0-9a-f]{16}"


class _ViewKey(_Id):
    """What the short link of a saved view ends with."""

    regex = "[0-9a-z]{8}"


class _ShortNumber(_Id):
    """A number of up to nine digits."""

    regex = "[0-9]{1,9}"


register_converter(_Id, "id")
register_converter(_SessionKey, "session")
register_converter(_ViewKey, "view")
register_converter(_ShortNumber, "short_number")
