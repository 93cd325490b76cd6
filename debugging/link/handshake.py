"""Opens a connection with a dashboard, and explains refusals and losses of it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Final

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from debugging.link.address import Address
from summaries.debugging import LONGEST_MESSAGE

__all__ = ["OPEN_SECONDS", "Refused", "connecting", "is_refusal", "problem_of", "refusals"]

_REFUSALS: Final = (401, 403, 404)
_FINAL_CODES: Final = {
    4400: "did not understand a message of this training",
    4406: "speaks another version of the debugger's protocol: install the same version of mindinsight for both",
    4409: "has another connection of this session",
    4410: "has removed this session",
}
"""Close codes after which the link does not reconnect (`mindinsight/debugger/api.md`)."""
_CROWDED_CODE: Final = 4429
OPEN_SECONDS: Final = 10.0
_PING_SECONDS: Final = 10.0
"""Seconds without an answer to a ping after which a connection counts as lost."""


class Refused(Exception):  # noqa: N818 - not an error of the training
    """The dashboard refuses the training; says why, and whether it may accept it later."""

    def __init__(self, why: str, for_ever: bool = False) -> None:
        super().__init__(why)
        self.for_ever = for_ever


class _Straight(connect):
    """Follows no redirect: a training introduces itself to the given address only."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        """Called with each response that is not a WebSocket."""
        return exc


def connecting(address: Address) -> connect:
    """A connection to open, with the token."""
    headers = {"Authorization": f"Bearer {address.token}"} if address.token else None
    return _Straight(
        address.socket,
        additional_headers=headers,
        compression=None,
        proxy=None if address.local else True,
        open_timeout=OPEN_SECONDS,
        ping_interval=_PING_SECONDS,
        ping_timeout=_PING_SECONDS,
        close_timeout=1.0,
        max_size=LONGEST_MESSAGE,
    )


@contextlib.contextmanager
def refusals(address: Address) -> Iterator[None]:
    """Raise `Refused` where the dashboard closed the connection to refuse the training."""
    try:
        yield
    except ConnectionClosed as error:
        code = error.rcvd.code if error.rcvd is not None else 0
        if code in _FINAL_CODES:
            raise Refused(f"The dashboard at {address.shown} {_FINAL_CODES[code]}.", for_ever=True) from None
        if code == _CROWDED_CODE:
            raise Refused(f"The dashboard at {address.shown} has too many trainings to take another one.") from None
        raise


def is_refusal(error: BaseException) -> bool:
    """Whether the dashboard will refuse the next attempt too, unless a person changes something."""
    return isinstance(error, InvalidStatus) and error.response.status_code in _REFUSALS


def problem_of(address: Address, error: BaseException) -> str:
    """A sentence about a connection that failed or was lost."""
    if isinstance(error, InvalidStatus):
        status = error.response.status_code
        if status in _REFUSALS[:2]:
            return (
                f"The dashboard at {address.shown} does not let this training in (HTTP {status}): give its token as "
                "Debugger(token=...) or in MINDINSIGHT_TOKEN; it is in the file 'token' of the dashboard's workspace."
            )
        return f"{address.shown} has no debugger (HTTP {status}): is it a dashboard, and of this version?"
    if isinstance(error, ConnectionClosed):
        return f"The debugger's connection with {address.shown} was lost; it is restored automatically."
    reason = str(error) or type(error).__name__
    return f"No dashboard can be reached at {address.shown} ({reason}); the debugger tries again automatically."
