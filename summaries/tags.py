"""The tags of one file: their indices, and which are refused.

Kept by the event decoder. A tag comes from a file that anybody may have written, so length, number and text of tags
have limits.
"""

from summaries.limits import MAX_TAG_BYTES, MAX_TAGS
from summaries.records import DamageReason

_BAD_TAGS_REMEMBERED = 1000


class RefusedTagError(ValueError):
    """A tag that is left out; `reason` and the text are for the report, which is made once (`first`)."""

    def __init__(self, reason: DamageReason, message: str, *, first: bool) -> None:
        super().__init__(message)
        self.reason = reason
        self.first = first


class TagTable:
    """Gives each tag of a file an index.

    Attributes:
        names: the tags by index; only ever grows.
        index: the index by the tag's bytes.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.index: dict[bytes, int] = {}
        self._bad: set[bytes] = set()
        self._full = False

    @property
    def room(self) -> int:
        """How many more tags may be added."""
        return MAX_TAGS - len(self.index)

    def forgive(self) -> None:
        """Report refused tags once more, for a file that has been replaced. Indices stay."""
        self._bad.clear()

    def add(self, tag: bytes) -> int:
        """Return the index of a tag that is new.

        Raises:
            RefusedTagError: the tag is no text that can be shown, or there are too many.
        """
        problem = _problem(tag)
        if problem:
            message = f"has a tag that {problem}: {tag[:80]!r}. Its values are left out."
            raise RefusedTagError(DamageReason.BAD_TAG, message, first=self._is_first(tag[:MAX_TAG_BYTES]))
        if not self.room:
            first, self._full = not self._full, True
            message = f"has a tag beyond the first {MAX_TAGS}; the values of all further tags are left out."
            raise RefusedTagError(DamageReason.TOO_MANY_TAGS, message, first=first)
        index = self.index[tag] = len(self.names)
        self.names.append(tag.decode())
        return index

    def add_empty(self) -> int:
        """Return a new index for the empty tag, which no value of a file may have."""
        self.names.append("")
        return len(self.names) - 1

    def _is_first(self, shown: bytes) -> bool:
        if shown in self._bad:
            return False
        if len(self._bad) < _BAD_TAGS_REMEMBERED:
            self._bad.add(shown)
        return True


def _problem(tag: bytes) -> str | None:
    if not tag:
        return "is empty"
    if len(tag) > MAX_TAG_BYTES:
        return f"has {len(tag)} bytes, more than {MAX_TAG_BYTES}"
    if 0 in tag:
        return "contains a zero byte"
    try:
        tag.decode()
    except UnicodeDecodeError:
        return "is not UTF-8"
    return None
