"""Types of parameters. Each has one parser and one schema with the same bounds, so the two cannot disagree.

The serializers of all apps use these fields for requests. Answers are described by Django REST framework's own fields.
Values in addresses are text and values in bodies are JSON: there `"5"` is not a number and `1` is not a boolean.
`read_parameters` and `read_body` (`parameters.py`) tell a field which of the two it reads.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from rest_framework import serializers

from mindinsight.api.problems import LANGUAGE, Problem

Schema = Mapping[str, object]

MAX_WHOLE = (1 << 63) - 1
"""Largest number that fits into a database column."""
LARGEST = 1.7976931348623157e308

# Control characters, invisible characters, characters that change the direction of a text, and spaces other than
# U+0020.
_UNPRINTABLE = (
    r"\u0000-\u001f\u007f-\u00a0\u00ad\u0600-\u0605\u061c\u06dd\u070f\u1680\u180e\u2000-\u200f\u2028-\u202f"
    r"\u205f-\u206f\u3000\ufeff\ufff9-\ufffb\ue000-\uf8ff"
)
NO_ZERO = r"^[^\u0000]*$"
"""Any text without the character U+0000, which databases and file names reject."""
_ONE_LINE = rf"^[^{_UNPRINTABLE}]*[^{_UNPRINTABLE} ][^{_UNPRINTABLE}]*$"
_NUMBER = "[0-9]{1,18}"


class Typed(serializers.Field[Any, Any, Any, Any]):
    """A field with a schema of its own.

    Args:
        schema: the field's JSON Schema, in the form of OpenAPI 3.0.
        **options: the options of all fields.
    """

    def __init__(self, schema: Schema, **options: Any) -> None:
        super().__init__(**options)
        # drf-spectacular looks here. Its own decorator would import the whole library.
        self._spectacular_annotation = {"field": dict(schema)}

    @property
    def schema(self) -> dict[str, Any]:
        """The field's JSON Schema, without its default and description."""
        return dict(self._spectacular_annotation["field"])

    @property
    def reads_address(self) -> bool:
        """Whether the value comes from an address, as text."""
        return bool(self.context.get("address"))

    @staticmethod
    def refuse(reason: str, code: str = "invalid") -> serializers.ValidationError:
        """Returns the error for a value."""
        return serializers.ValidationError(reason, code=code)

    def to_representation(self, value: Any) -> Any:
        """Not used: these fields only read requests."""
        return value


class TextField(Typed):
    """A text.

    Args:
        max_length: maximum number of characters; None for no limit of its own.
        min_length: minimum number of characters.
        pattern: regular expression that must match the whole text, in the common syntax of Python and ECMA-262.
        expected: the expected form, for the error message.
        language: name of the language that the text is written in, where the pattern alone does not tell.
        **options: the options of all fields.
    """

    def __init__(
        self,
        *,
        max_length: int | None,
        min_length: int = 0,
        pattern: str = NO_ZERO,
        expected: str = "a text without zero characters",
        language: str = "",
        **options: Any,
    ) -> None:
        bounds = {"maxLength": max_length, "minLength": min_length or None, "format": language or None}
        known = {name: value for name, value in bounds.items() if value is not None}
        super().__init__({"type": "string", "pattern": pattern, **known}, **options)
        self._lengths = range(min_length, sys.maxsize if max_length is None else max_length + 1)
        self._pattern = re.compile(pattern.removeprefix("^").removesuffix("$"))
        self._expected = expected

    def to_internal_value(self, data: Any) -> Any:
        """Returns the text."""
        if not isinstance(data, str):
            raise self.refuse("a text is expected")
        if len(data) not in self._lengths:
            least, most = self._lengths[0], self._lengths[-1]
            raise self.refuse(f"{least} to {most} characters are expected, not {len(data)}")
        if not self._pattern.fullmatch(data):
            raise self.refuse(f"{self._expected} is expected")
        return data


class LineField(TextField):
    """Printable characters on one line, without surrounding spaces.

    Args:
        what: what the text is, for the error message.
        max_length: maximum number of characters.
        **options: the options of all fields.
    """

    def __init__(self, what: str, max_length: int, **options: Any) -> None:
        self._what = f"{what} of printable characters on one line"
        super().__init__(max_length=max_length, pattern=_ONE_LINE, expected=self._what, **options)

    def to_internal_value(self, data: Any) -> Any:
        """Returns the text without surrounding spaces."""
        text = super().to_internal_value(data).strip(" ")
        # A pattern cannot list the characters that newer versions of Unicode added, nor those beyond U+FFFF.
        if not text.isprintable():
            raise self.refuse(f"{self._what} is expected", LANGUAGE)
        return text


class IdField(TextField):
    """An id in hexadecimal digits.

    Args:
        digits: number of digits.
        **options: the options of all fields.
    """

    def __init__(self, digits: int, **options: Any) -> None:
        pattern = f"^[0-9a-f]{{{digits}}}$"
        super().__init__(
            max_length=digits, pattern=pattern, expected=f"an id of {digits} hexadecimal digits", **options
        )


class WholeField(Typed):
    """An integer.

    Args:
        minimum: smallest allowed value.
        maximum: largest allowed value; at most what fits into a database column.
        **options: the options of all fields.
    """

    def __init__(self, minimum: int = 0, maximum: int = MAX_WHOLE, **options: Any) -> None:
        super().__init__({"type": "integer", "minimum": minimum, "maximum": maximum}, **options)
        self._range = range(minimum, maximum + 1)

    def to_internal_value(self, data: Any) -> int:
        """Returns the number."""
        if self.reads_address:
            number = int(data) if re.fullmatch("-?[0-9]{1,30}", data) else None
        elif isinstance(data, float):
            number = int(data) if data.is_integer() else None
        else:
            number = data if isinstance(data, int) and not isinstance(data, bool) else None
        if number is None or not self._range.start <= number < self._range.stop:
            raise self.refuse(f"a whole number from {self._range.start} to {self._range.stop - 1} is expected")
        return number


class RealField(Typed):
    """A finite number.

    Args:
        minimum: smallest allowed value.
        maximum: largest allowed value.
        **options: the options of all fields.
    """

    def __init__(self, minimum: float = -LARGEST, maximum: float = LARGEST, **options: Any) -> None:
        super().__init__({"type": "number", "minimum": minimum, "maximum": maximum}, **options)
        self._bounds = minimum, maximum

    def to_internal_value(self, data: Any) -> float:
        """Returns the number."""
        low, high = self._bounds
        number = _real(data, self.reads_address)
        if not low <= number <= high:
            bounds = f" from {low:g} to {high:g}" if self._bounds != (-LARGEST, LARGEST) else ""
            raise self.refuse(f"a finite number{bounds} is expected")
        return number


def _real(data: Any, in_address: bool) -> float:
    """Returns the number of a value, or NaN if it is not a number."""
    if in_address:
        plain = re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", data)
        return float(data) if plain else math.nan
    if isinstance(data, bool) or not isinstance(data, (int, float)):
        return math.nan
    try:
        return float(data)
    except OverflowError:
        return math.inf


class FlagField(Typed):
    """A boolean: `true` or `false`. Addresses may also use capitals, 1 or 0."""

    _WORDS: Mapping[str, bool] = {"true": True, "1": True, "false": False, "0": False}

    def __init__(self, **options: Any) -> None:
        super().__init__({"type": "boolean"}, **options)

    def to_internal_value(self, data: Any) -> bool:
        """Returns the truth value."""
        found = self._WORDS.get(data.lower()) if self.reads_address else data
        if not isinstance(found, bool):
            raise self.refuse("true or false is expected")
        return found


class NumberListField(TextField):
    """Numbers separated by commas.

    Args:
        at_most: maximum count; None for no limit of its own.
        at_least: minimum count; 0 allows an empty text.
        **options: the options of all fields.
    """

    def __init__(self, at_most: int | None = None, at_least: int = 0, **options: Any) -> None:
        more = "*" if at_most is None else f"{{0,{at_most - 1}}}"
        some = f"{_NUMBER}(,{_NUMBER}){more}"
        super().__init__(
            max_length=None,
            pattern=f"^{some}$" if at_least else f"^({some})?$",
            expected=f"{f'up to {at_most} ' if at_most else ''}numbers with commas between them, such as 17,18,",
            **options,
        )

    def to_internal_value(self, data: Any) -> Any:
        """Returns the numbers in order, each once."""
        text = super().to_internal_value(data)
        return list(dict.fromkeys(map(int, text.split(",")))) if text else []


class SeriesListField(NumberListField):
    """Series numbers separated by commas. Too many have their own error, which says what to do.

    Args:
        at_most: maximum count.
        **options: the options of all fields.
    """

    def __init__(self, at_most: int, **options: Any) -> None:
        super().__init__(at_most, 1, help_text=f"numbers of series, at most {at_most}", **options)
        self._at_most = at_most

    def to_internal_value(self, data: Any) -> Any:
        """Returns the numbers in order, each once.

        Raises:
            Problem: `too_many_series`.
        """
        asked = data.count(",") + 1
        if asked > self._at_most:
            message = f"At most {self._at_most} series at once, not {asked}."
            raise Problem("too_many_series", message, most=self._at_most, asked=asked)
        return super().to_internal_value(data)


class ChoiceField(serializers.ChoiceField):
    """One of several words.

    Args:
        choices: the words.
        **options: the options of all fields.
    """

    def __init__(self, choices: Iterable[str], **options: Any) -> None:
        super().__init__([(str(word), str(word)) for word in choices], **options)

    def to_internal_value(self, data: Any) -> Any:
        """Returns the word."""
        if not isinstance(data, str):
            self.fail("invalid_choice", input=data)
        return super().to_internal_value(data)
