"""The address and the token of a dashboard, from arguments or the environment."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

from summaries.debugging import PATH

__all__ = ["DEFAULT_URL", "URL_VARIABLE", "Address", "address_of"]

DEFAULT_URL = "http://127.0.0.1:8080"
"""Default address of `mindinsight start`."""
URL_VARIABLE = "MS_DEBUGGER_URL"
_TOKEN_VARIABLE = "MINDINSIGHT_TOKEN"  # noqa: S105  (a name, not a secret)
_WORKSPACE_VARIABLE = "MINDINSIGHT_WORKSPACE"


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
    shown = given.partition("?")[0].rstrip("/")
    try:
        parts = urlsplit(given if "://" in given else f"http://{given}")
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
            raise ValueError
        _ = parts.port  # Raises if the port is invalid.
    except ValueError:
        raise ValueError(
            f"{shown.rpartition('@')[2]!r} is not the address of a dashboard; {DEFAULT_URL!r} is one, for example. "
            f"Give it as Debugger(url=...) or in the variable {URL_VARIABLE}"
        ) from None
    scheme = "wss" if parts.scheme == "https" else "ws"
    local = _is_local(parts.hostname)
    in_address = parse_qs(parts.query).get("token", [None])[0]
    used = token or in_address or os.environ.get(_TOKEN_VARIABLE) or (_of_workspace() if local else None)
    path = quote(parts.path.rstrip("/"), safe="/%")
    return Address(shown, f"{scheme}://{parts.netloc}{path}{PATH}", used or None, local)


def _is_local(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _of_workspace() -> str | None:
    """The token in the user's workspace; None if there is none or it cannot be read."""
    workspace = Path(os.environ.get(_WORKSPACE_VARIABLE) or "~/mindinsight").expanduser()
    try:
        return (workspace / "token").read_text("utf-8").strip() or None
    except (OSError, UnicodeDecodeError):
        return None
