"""The one error of the client, and how names that were meant are guessed."""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Iterable
from difflib import get_close_matches

LOST = (ConnectionResetError, ConnectionAbortedError, BrokenPipeError, http.client.IncompleteRead)
"""A connection that broke in the middle: asking again may help."""

_NO_DASHBOARD = (
    "What answers at {address} is no MindInsight dashboard{detail}. Give Client the address that 'mindinsight start' "
    "printed, without the name of a page behind it."
)
# By what went wrong; the first that fits.
_UNREACHABLE: tuple[tuple[type[Exception] | tuple[type[Exception], ...], str], ...] = (
    (
        ConnectionRefusedError,
        "Nobody answers at {address}. Start the dashboard there with 'mindinsight start --summary-base-dir DIRECTORY', "
        "or give Client the address that it printed.",
    ),
    (
        socket.gaierror,
        "The dashboard at {address} cannot be found: its host name is unknown. Check the address.",
    ),
    (
        TimeoutError,
        "The dashboard at {address} did not answer within {timeout:g} s. It may be very busy, or a firewall swallows "
        "the question; Client(address, timeout=SECONDS) waits longer.",
    ),
    (
        ssl.SSLError,
        "The dashboard at {address} cannot be reached safely by TLS: {reason}. Check the address.",
    ),
    (
        LOST,
        "The connection to {address} was lost again and again. The dashboard's logs tell why; 'mindinsight status' "
        "says whether it runs.",
    ),
    (http.client.HTTPException, _NO_DASHBOARD),
    (Exception, "The dashboard at {address} cannot be reached: {reason}. Check address and network."),
)


class ClientError(Exception):
    """The dashboard could not be asked, or did not answer as expected. The message says what to do.

    Attributes:
        code: the dashboard's own name of the error, such as `token_wanted`; empty where it did not answer.
    """

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


def unknown(what: str, name: str, known: Iterable[str]) -> ClientError:
    """Returns the error for a name that nobody knows, with those that were perhaps meant.

    Args:
        what: what kind of thing it names, such as `run`.
        name: the unknown name.
        known: all names that there are.
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
    """Returns the error for a question that got no answer because of `reason`."""
    error = reason if isinstance(reason, Exception) else OSError(reason)
    sentence = next(sentence for kinds, sentence in _UNREACHABLE if isinstance(error, kinds))
    return ClientError(sentence.format(address=address, reason=error, timeout=timeout, detail=""))


def no_dashboard(address: str, detail: str = "") -> ClientError:
    """Returns the error for an answer that no dashboard gives."""
    return ClientError(_NO_DASHBOARD.format(address=address, detail=detail))


def token_trouble(address: str, code: str, variable: str) -> ClientError:
    """Returns the error for a dashboard that wants a token, or another one.

    Args:
        address: its address.
        code: how it said so.
        variable: the environment variable in which a token may be.
    """
    problem = "wants its token" if code == "token_wanted" else "says that this is not its token"
    return ClientError(
        f"The dashboard at {address} {problem}. Give Client the link that 'mindinsight status --link' prints; or "
        f"give Client(address, token=...) or the environment variable {variable} the content of the file 'token' in "
        "the dashboard's workspace.",
        code,
    )
