"""The address and the token of a dashboard, from arguments or the environment."""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import quote

from summaries.debugging import PATH
from summaries.remote.address import find_token, is_local, split_address, without_token

__all__ = ["DEFAULT_URL", "URL_VARIABLE", "Address", "address_of"]

DEFAULT_URL = "http://127.0.0.1:8080"
"""Default address of `mindinsight start`."""
URL_VARIABLE = "MS_DEBUGGER_URL"


@dataclass(frozen=True)
class Address:
    """A dashboard.

    Attributes:
        shown: Its web address without the token, for messages.
        socket: Address of its WebSocket for trainings.
        token: Its token; None if there is none.
        local: Whether it runs on this machine; then no proxy is used.

    """

    shown: str
    socket: str
    token: str | None
    local: bool

    def __repr__(self) -> str:
        return f"Address({self.shown!r})"


def address_of(url: str | None = None, token: str | None = None) -> Address:
    """Read a dashboard's web address.

    Args:
        url: Such as `http://127.0.0.1:8080`, also with the `?token=` that `mindinsight start` prints; by default the
            address in `MS_DEBUGGER_URL`, else port 8080 of this machine.
        token: The dashboard's token; by default that of the address, of `MINDINSIGHT_TOKEN`, or of this user's
            workspace if the dashboard is on this machine.

    Raises:
        ValueError: `url` is not a web address.

    """
    given = (url or os.environ.get(URL_VARIABLE) or DEFAULT_URL).strip()
    shown = without_token(given).rstrip("/")
    try:
        parts = split_address(given)
    except ValueError:
        raise ValueError(
            f"{shown.rpartition('@')[2]!r} is not the address of a dashboard; {DEFAULT_URL!r} is one, for example. "
            f"Give it as Debugger(url=...) or in the variable {URL_VARIABLE}"
        ) from None
    scheme = "wss" if parts.scheme == "https" else "ws"
    path = quote(parts.path.rstrip("/"), safe="/%")
    local = is_local(parts.hostname or "")
    return Address(shown, f"{scheme}://{parts.netloc}{path}{PATH}", token or find_token(parts), local)
