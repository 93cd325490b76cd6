"""The client's only error class, and suggestions for misspelt names."""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Iterable
from difflib import get_close_matches

LOST = (ConnectionResetError, ConnectionAbortedError, BrokenPipeError, http.client.IncompleteRead)
"""A connection that broke off. A retry may help."""

_NO_DASHBOARD = (
    "{address} is not the address of a MindInsight dashboard{detail}. Give Client the address that 'mindinsight start' "
    "printed, without the name of a page after it."
)
# By cause; the first match counts.
_UNREACHABLE: tuple[tuple[type[Exception] | tuple[type[Exception], ...], str], ...] = (
    (
        ConnectionRefusedError,
        "No dashboard answers at {address}. Start it there with 'mindinsight start --summary-base-dir DIRECTORY', "
        "or give Client the address that it printed.",
    ),
    (
        socket.gaierror,
        "The dashboard at {address} cannot be found: its host name is unknown. Check the address.",
    ),
    (
        TimeoutError,
        "The dashboard at {address} did not answer within {timeout:g} s. It may be very busy, or a firewall may drop "
        "the request; Client(address, timeout=SECONDS) waits longer.",
    ),
    (
        ssl.SSLError,
        "The dashboard at {address} cannot be reached over TLS: {reason}. Check the address.",
    ),
    (
        LOST,
        "The connection to {address} was lost repeatedly. The dashboard's logs say why; 'mindinsight status' "
        "says whether it runs.",
    ),
    (http.client.HTTPException, _NO_DASHBOARD),
    (Exception, "The dashboard at {address} cannot be reached: {reason}. Check address and network."),
)


class ClientError(Exception):
    """A request to the dashboard failed, or its answer was not as expected. The message says what to do.

    Attributes:
        code: the dashboard's name of the error, such as `token_wanted`; empty if it did not answer.
    """

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


def unknown(what: str, name: str, known: Iterable[str]) -> ClientError:
    """Returns the error for an unknown name, with similar names.

    Args:
        what: kind of the named thing, such as `run`.
        name: the unknown name.
        known: all existing names.
    """
    names = sorted(set(known))
    folded = {candidate.casefold(): candidate for candidate in names}
    near = [folded[match] for match in get_close_matches(name.casefold(), list(folded), n=3, cutoff=0.5)]
    if near:
        hint = f"Perhaps {' or '.join(map(repr, near))} is meant."
    elif names:
        shown = ", ".join(map(repr, names[:5]))
        hint = f"There are {shown}{' and others' if len(names) > 5 else ''}."
    else:
        hint = "There is none at all."
    return ClientError(f"There is no {what} {name!r}. {hint}", f"unknown_{what.replace(' ', '_')}")


def unreachable(address: str, reason: object, timeout: float) -> ClientError:
    """Returns the error for a request that got no answer because of `reason`."""
    error = reason if isinstance(reason, Exception) else OSError(reason)
    sentence = next(sentence for kinds, sentence in _UNREACHABLE if isinstance(error, kinds))
    return ClientError(sentence.format(address=address, reason=error, timeout=timeout, detail=""))


def no_dashboard(address: str, detail: str = "") -> ClientError:
    """Returns the error for an answer that does not come from a dashboard."""
    return ClientError(_NO_DASHBOARD.format(address=address, detail=detail))


def token_trouble(address: str, code: str, variable: str) -> ClientError:
    """Returns the error for a missing or wrong token.

    Args:
        address: the dashboard's address.
        code: the dashboard's error code.
        variable: the environment variable for the token.
    """
    problem = "needs its token" if code == "token_wanted" else "did not accept this token"
    return ClientError(
        f"The dashboard at {address} {problem}. Give Client the link that 'mindinsight status --link' prints; or "
        f"give Client(address, token=...) or the environment variable {variable} the content of the file 'token' in "
        "the dashboard's workspace.",
        code,
    )
