"""Hyper-parameters and results of a run, bounded and in a form that JSON and databases accept.

`summaries.reading.parameters` fills a `Collector` from each file format.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from google.protobuf.message import DecodeError, Message

from summaries.damages import Damage
from summaries.limits import MAX_TAG_BYTES
from summaries.records import OVERHEAD_BYTES

Scalar = str | int | float | bool
Value = Scalar | list[Scalar]
"""A noted value. Integers fit into 64 bits. Floats may be NaN or infinite, which JSON does not know; in lists these are
the words `NaN`, `Infinity` and `-Infinity`."""

MAX_PARAMETERS = 1000
"""Maximum number of user parameters, of library parameters, and of metrics of one file."""
MAX_RESULT_TAGS = 100
"""Maximum number of scalar tags that are results."""
MAX_TEXT = 4096
"""Maximum length of a text; longer ones are truncated."""
MAX_ITEMS = 100
"""Maximum length of a list; longer ones are truncated."""
_MAX_DAMAGES = 1000
_INT64 = range(-(1 << 63), 1 << 63)
_WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}

Parsed = TypeVar("Parsed", bound=Message)


@dataclass(frozen=True, slots=True)
class RunNotes:
    """Notes of a file, or of one of its records, about its run.

    Attributes:
        params: hyper-parameters and facts about data and model by name; parts of nested names are joined by `/`.
        metrics: results by name.
        damages: parts that could not be read completely.
        file: the file of `damages`.
        result_tags: scalar tags of the same run that are its results.
    """

    params: dict[str, Value] = field(default_factory=dict)
    metrics: dict[str, float] = field(default_factory=dict)
    damages: list[Damage] = field(default_factory=list)
    file: str = ""
    result_tags: list[str] = field(default_factory=list)


class Collector:
    """Collects parameters and results within bounds, and reports damages."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._found: dict[str, Value] = {}
        self._user: dict[str, Value] = {}
        self._metrics: dict[str, float] = {}
        self._result_tags: dict[str, None] = {}
        self._damages: list[Damage] = []
        self._place = (0, 0)
        self._full: set[str] = set()

    def at(self, offset: int, length: int) -> None:
        """Set the current record; `length` is the length of its payload."""
        self._place = (offset, length + OVERHEAD_BYTES)

    def parse(self, kind: type[Parsed], payload: bytes, note: Callable[["Collector", Parsed], None]) -> None:
        """Parse a message and pass it to `note(self, message)`."""
        try:
            note(self, kind.FromString(payload))
        except (DecodeError, UnicodeDecodeError) as error:  # The second for the names of maps.
            self.refuse("no_lineage", error=str(error))

    def add(self, name: str, value: object, *, user: bool = False) -> None:
        """Add a parameter; values other than strings and numbers are ignored."""
        kept = _kept(value)
        if kept is not None:
            _put(self, self._user if user else self._found, name, kept)

    def add_metric(self, name: str, value: object) -> None:
        """Add a result; one that is a string becomes a parameter."""
        number = _WORDS.get(value) if isinstance(value, str) else value
        if isinstance(number, int | float):
            _put(self, self._metrics, name, _finite_float(number))
        else:
            self.add(name, value)

    def add_result_tag(self, tag: str) -> None:
        """Mark a scalar tag as a result."""
        name = clean_text(tag)
        if name and len(name.encode()) <= MAX_TAG_BYTES and len(self._result_tags) < MAX_RESULT_TAGS:
            self._result_tags[name] = None

    def refuse(self, code: str, **detail: int | str) -> None:
        """Report the current record; `code` and `detail` are those of `Damage`."""
        offset, length = self._place
        self.report(Damage(offset, length, code, detail))

    def refuse_once(self, code: str, **detail: int | str) -> None:
        """Report a damage of the current record, unless one with this code was reported before."""
        if code not in self._full:
            self._full.add(code)
            self.refuse(code, **detail)

    def report(self, damage: Damage) -> None:
        """Add a damage."""
        if len(self._damages) < _MAX_DAMAGES:
            self._damages.append(damage)

    def notes(self) -> RunNotes:
        """Return the collected notes."""
        return RunNotes(self._found | self._user, self._metrics, self._damages, self._file, list(self._result_tags))


def _put(collected: Collector, notes: dict[str, Any], name: str, value: Value) -> None:
    name = clean_text(name)
    if not name or len(name.encode()) > MAX_TAG_BYTES:
        collected.refuse_once("bad_name", most=MAX_TAG_BYTES)
    elif name not in notes and len(notes) >= MAX_PARAMETERS:
        collected.refuse_once("too_many_names", most=MAX_PARAMETERS)
    else:
        notes[name] = value


def _kept(value: object) -> Value | None:
    """Return a value in its stored form, or None for other types."""
    if not isinstance(value, list | tuple):
        return _scalar(value)
    return [_word(item) for item in map(_scalar, value[:MAX_ITEMS]) if item is not None]


def _word(item: Scalar) -> Scalar:
    """Return an item of a list in a form that JSON accepts."""
    if isinstance(item, float) and not math.isfinite(item):
        return "NaN" if math.isnan(item) else "Infinity" if item > 0 else "-Infinity"
    return item


def _scalar(value: object) -> Scalar | None:
    if isinstance(value, str | bytes):
        text = clean_text(value)
        return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
    if isinstance(value, int) and not isinstance(value, bool) and value not in _INT64:
        return _finite_float(value)
    return value if isinstance(value, bool | int | float) else None


def _finite_float(number: float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def clean_text(text: str | bytes) -> str:
    """Return a text that every database accepts: without zero characters and surrogates."""
    if isinstance(text, bytes):  # protobuf returns bytes for text that is not UTF-8.
        text = text.decode(errors="replace")
    return text.replace("\0", "\ufffd").encode(errors="replace").decode()
