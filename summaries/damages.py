"""Damages of files: every case with its code, its reason and its sentence in English.

The record scanner, the event decoder and the lineage reader report them. The dashboard passes code and detail to its
pages, which have the sentences in other languages.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum


class DamageReason(StrEnum):
    """Why a part of a file could not be read."""

    LENGTH_CRC = "length_crc"
    PAYLOAD_CRC = "payload_crc"
    TOO_LARGE = "too_large"
    UNPARSABLE = "unparsable"
    BAD_TAG = "bad_tag"
    TOO_MANY_TAGS = "too_many_tags"
    UNFINISHED = "unfinished"


_TAG = "The record at byte {offset} has a tag that"
_LEFT_OUT = ": {tag}. Its values are left out."

SENTENCES: Mapping[str, tuple[DamageReason, str]] = {
    "length_crc": (DamageReason.LENGTH_CRC, "The record at byte {offset} has a length that fails its checksum."),
    "zeros": (
        DamageReason.LENGTH_CRC,
        "At byte {offset}, where a record should begin, the file has {zeros} zero bytes.",
    ),
    "payload_crc": (DamageReason.PAYLOAD_CRC, "The record at byte {offset} fails its checksum."),
    "too_large": (
        DamageReason.TOO_LARGE,
        "The record at byte {offset} claims {claimed} bytes; at most {most} are read.",
    ),
    "rest_too_large": (
        DamageReason.TOO_LARGE,
        "Data after byte {offset} is left out: {most} bytes of a lineage file are read.",
    ),
    "too_many_names": (
        DamageReason.TOO_LARGE,
        "The record at byte {offset} exceeds the {most} names that are read; all further names are left out.",
    ),
    "unfinished": (
        DamageReason.UNFINISHED,
        "The last record, at byte {offset}, breaks off after {length} bytes.",
    ),
    "no_event": (DamageReason.UNPARSABLE, "The record at byte {offset} is not an event: {error}."),
    "no_lineage": (DamageReason.UNPARSABLE, "The record at byte {offset} cannot be parsed: {error}."),
    "no_json": (DamageReason.UNPARSABLE, "The record at byte {offset} has results that are not JSON: {error}."),
    "no_json_object": (
        DamageReason.UNPARSABLE,
        "The record at byte {offset} has results that are not a JSON object.",
    ),
    "bad_name": (
        DamageReason.BAD_TAG,
        "The record at byte {offset} notes something under a name that is empty or longer than {most} bytes.",
    ),
    "tag_empty": (DamageReason.BAD_TAG, f"{_TAG} is empty{_LEFT_OUT}"),
    "tag_too_long": (DamageReason.BAD_TAG, f"{_TAG} has {{length}} bytes, more than {{most}}{_LEFT_OUT}"),
    "tag_with_zero": (DamageReason.BAD_TAG, f"{_TAG} contains a zero byte{_LEFT_OUT}"),
    "tag_not_utf8": (DamageReason.BAD_TAG, f"{_TAG} is not UTF-8{_LEFT_OUT}"),
    "too_many_tags": (
        DamageReason.TOO_MANY_TAGS,
        "The record at byte {offset} has a tag beyond the first {most}; the values of all further tags are left out.",
    ),
}
"""Reason and English sentence by code."""

_PASSED_OVER = "{skipped} bytes were skipped; the next valid record is at byte {next}."
_NOTHING_FOLLOWS = "No valid record follows."


@dataclass(frozen=True, slots=True)
class Damage:
    """A part of a file that could not be read.

    Attributes:
        offset: start of the part, in bytes from the start of the file.
        length: number of bytes that could not be read.
        code: key in `SENTENCES`.
        detail: values of the sentence other than the offset. If the length was unknown at first, `skipped` and `next`
            give the place where reading continued; `skipped` without `next` means that no sound record followed.
    """

    offset: int
    length: int
    code: str
    detail: Mapping[str, int | str] = field(default_factory=dict)

    @property
    def reason(self) -> DamageReason:
        """The reason of the damage."""
        return SENTENCES[self.code][0]

    @property
    def message(self) -> str:
        """The sentence in English."""
        sentence = SENTENCES[self.code][1].format(offset=self.offset, **self.detail)
        if "skipped" not in self.detail:
            return sentence
        return f"{sentence} {(_PASSED_OVER if 'next' in self.detail else _NOTHING_FOLLOWS).format(**self.detail)}"

    def passed_over(self, following: int | None, length: int) -> "Damage":
        """Return the same damage with its length, once that is known.

        Args:
            following: offset of the next valid record; None if there is none.
            length: number of skipped bytes.
        """
        found = {} if following is None else {"next": following}
        return replace(self, length=length, detail={**self.detail, "skipped": length, **found})
