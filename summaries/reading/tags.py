"""The table of one file's tags: their indices, and which tags are refused.

Used by the event decoder. Anybody may have written the file, so length, number and text of tags are limited.
"""

from collections.abc import Mapping

from summaries.limits import MAX_TAG_BYTES, MAX_TAGS

_BAD_TAGS_REMEMBERED = 1000


class RefusedTagError(ValueError):
    """A tag is refused. `code` and `detail` are those of its `Damage`, which is reported once (`first`)."""

    def __init__(self, code: str, detail: Mapping[str, int | str], *, first: bool) -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail
        self.first = first


class TagTable:
    """Gives each tag of a file an index.

    Attributes:
        names: tags by index; the list only grows.
        index: index by the tag's bytes.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.index: dict[bytes, int] = {}
        self._bad: set[bytes] = set()
        self._full = False

    @property
    def room(self) -> int:
        """Number of tags that can still be added."""
        return MAX_TAGS - len(self.index)

    def forgive(self) -> None:
        """Let refused tags be reported again, for a file that was replaced. Indices stay."""
        self._bad.clear()

    def add(self, tag: bytes) -> int:
        """Add a new tag and return its index.

        Raises:
            RefusedTagError: the tag is not valid text, or there are too many tags.
        """
        problem = _problem(tag)
        if problem:
            detail: dict[str, int | str] = {"tag": repr(tag[:80])}
            if problem == "tag_too_long":
                detail |= {"length": len(tag), "most": MAX_TAG_BYTES}
            raise RefusedTagError(problem, detail, first=self._is_first(tag[:MAX_TAG_BYTES]))
        if not self.room:
            first, self._full = not self._full, True
            raise RefusedTagError("too_many_tags", {"most": MAX_TAGS}, first=first)
        index = self.index[tag] = len(self.names)
        self.names.append(tag.decode())
        return index

    def add_empty(self) -> int:
        """Return a new index for the empty tag, which values in files must not have."""
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
        return "tag_empty"
    if len(tag) > MAX_TAG_BYTES:
        return "tag_too_long"
    if 0 in tag:
        return "tag_with_zero"
    try:
        tag.decode()
    except UnicodeDecodeError:
        return "tag_not_utf8"
    return None
