"""Limits of the format, for writer and reader."""

MAX_TAG_BYTES = 1024
"""Maximum length of a tag, in bytes of UTF-8."""

MAX_TAGS = 100_000
"""Maximum number of tags that are read from a file."""

MAX_VALUES = 1 << 20
"""Maximum number of values of an event; an event with more is refused."""
