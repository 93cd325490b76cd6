"""Path converters for Django's `path`, named by the `urls.py` of the apps.

A converter matches the whole part. `$` in a regular expression would also match before a final line break.
"""

from __future__ import annotations

from django.urls import register_converter


class _Id:
    """An id of 32 hexadecimal digits, of a run or an export."""

    regex = "[0-9a-f]{32}"

    def to_python(self, value: str) -> str:
        """Returns the part unchanged."""
        return value

    def to_url(self, value: str) -> str:
        """Returns the part unchanged."""
        return value


class _SessionKey(_Id):
    """An id of a debugger session."""

    regex = "[0-9a-f]{16}"


class _ViewKey(_Id):
    """The last part of a saved view's short link."""

    regex = "[0-9a-z]{8}"


class _ShortNumber(_Id):
    """A number of up to nine digits."""

    regex = "[0-9]{1,9}"


register_converter(_Id, "id")
register_converter(_SessionKey, "session")
register_converter(_ViewKey, "view")
register_converter(_ShortNumber, "short_number")
