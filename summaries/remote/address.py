"""The address of a dashboard, the address of a run in it, and the token for it.

Used by remote runs and by the debugger's link.
"""

import ipaddress
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, parse_qs, quote, unquote, urlsplit

from summaries.remote import SCHEME, is_remote

TOKEN_VARIABLE = "MINDINSIGHT_TOKEN"  # noqa: S105  (a name, not a secret)
_WORKSPACE_VARIABLE = "MINDINSIGHT_WORKSPACE"
# A dashboard behind a proxy may be served below a path such as /team/mind.
_DEEPEST_PREFIX = 3


@dataclass(frozen=True)
class RunAddress:
    """The address of a run on a dashboard.

    Attributes:
        origin: scheme, host and port of the dashboard, such as `http://host:8080`.
        path: the run's name, such as `lenet/adam`. It begins with the path below which the dashboard is served, if
            there is one; only the dashboard knows where that path ends.
        token: the dashboard's token; None if none is known.
        local: whether the dashboard runs on this machine; then no proxy is used.
    """

    origin: str
    path: str
    token: str | None = field(default=None, repr=False, compare=False)
    local: bool = False

    def __str__(self) -> str:
        return f"{self.origin}/{self.path}"

    def places(self) -> Iterator[tuple[str, str]]:
        """The possible addresses of the dashboard, each with the name that the run has there; the shortest first."""
        parts = self.path.split("/")
        for length in range(min(len(parts), _DEEPEST_PREFIX + 1)):
            prefix = "".join(f"/{quote(part)}" for part in parts[:length])
            yield self.origin + prefix, "/".join(parts[length:])


def run_address(directory: str | os.PathLike[str], token: str | None = None) -> RunAddress:
    """Read the address of a run.

    Args:
        directory: such as `http://host:8080/lenet/adam`, also with `?token=...` at its end.
        token: the dashboard's token; by default that of the address, or what `find_token` finds.

    Raises:
        ValueError: it is no web address, or it names no run.
    """
    given = SCHEME.sub(r"\1://", os.fspath(directory).strip(), count=1)
    parts = split_address(given)
    path = "/".join(part for part in unquote(parts.path).split("/") if part)
    if not path:
        raise ValueError(f"{without_token(given)!r} names no run; {without_token(given).rstrip('/')}/NAME does.")
    host = parts.hostname or ""
    return RunAddress(f"{parts.scheme}://{parts.netloc}", path, token or find_token(parts), is_local(host))


def place_of_run(directory: str | os.PathLike[str]) -> str:
    """A run's directory as other processes know it: an absolute path, or the address without token."""
    if is_remote(directory):
        return str(run_address(directory))
    return str(Path(directory).absolute())


def split_address(address: str) -> SplitResult:
    """Split a web address; the scheme may be left out.

    Raises:
        ValueError: it is none: another scheme, no host, a user's name, or no number as port.
    """
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
            raise ValueError
        _ = parts.port  # Raises if the port is invalid.
    except ValueError:
        shown = without_token(address).rpartition("@")[2]
        raise ValueError(f"{shown!r} is not a web address; 'http://127.0.0.1:8080' is one, for example.") from None
    return parts


def without_token(address: str) -> str:
    """The address as it may be shown."""
    return address.partition("?")[0]


def find_token(parts: SplitResult) -> str | None:
    """The token for a dashboard; None if none is known.

    It is taken from the address, from `MINDINSIGHT_TOKEN`, or from this user's workspace if the dashboard is on this
    machine.
    """
    in_address = parse_qs(parts.query).get("token", [None])[0]
    local = is_local(parts.hostname or "")
    return in_address or os.environ.get(TOKEN_VARIABLE) or (_token_of_workspace() if local else None) or None


def is_local(host: str) -> bool:
    """Whether a host's name or address stands for this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _token_of_workspace() -> str | None:
    """The token in the user's workspace; None if there is none or it cannot be read."""
    workspace = Path(os.environ.get(_WORKSPACE_VARIABLE) or "~/mindinsight").expanduser()
    try:
        return (workspace / "token").read_text("utf-8").strip() or None
    except (OSError, UnicodeDecodeError):
        return None
