"""Addresses of summaries in object stores: `s3://bucket/path`, `gs://bucket/path`. Used by `mindinsight start`.

Imports nothing but the standard library, because each start checks its directory here.
"""

from __future__ import annotations

import re
from importlib.util import find_spec

_PACKAGES = {"s3": ("s3fs", "s3"), "gs": ("gcsfs", "gs")}
_ADDRESS = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<bucket>[^/]*)(?P<path>/.*)?", re.DOTALL)


class AddressError(ValueError):
    """An address cannot be used; the message says why and what to do."""


def is_address(text: str) -> bool:
    """Whether a text is an address of some protocol, and not a path."""
    return _ADDRESS.fullmatch(text) is not None


def checked_address(text: str) -> str:
    """Return an address without slashes at its end.

    Args:
        text: such as `s3://bucket/path`.

    Raises:
        AddressError: the protocol is unknown, the bucket is missing, or the package that speaks the protocol is.
    """
    match = _ADDRESS.fullmatch(text)
    if match is None or match["scheme"] not in _PACKAGES:
        known = " and ".join(f"{scheme}://" for scheme in _PACKAGES)
        raise AddressError(
            f"{text} is neither a local directory nor in an object store that can be read ({known}). "
            "Mount it and give the mount point."
        )
    if not match["bucket"] or not text.isprintable():
        raise AddressError(f"{text} names no bucket. Write {match['scheme']}://BUCKET/PATH.")
    package, extra = _PACKAGES[match["scheme"]]
    if find_spec(package) is None:
        raise AddressError(
            f"{match['scheme']}:// needs the package {package}, which is not installed: "
            f"pip install 'mindinsight[{extra}]'"
        )
    return text.rstrip("/")
