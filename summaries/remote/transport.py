"""The requests of a remote run: ask the dashboard how much of a file it has, and append to the file.

`mindinsight/incoming/api.md` is the contract. Called by `uploads`.
"""

import http.client
import json
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from summaries.remote.address import TOKEN_VARIABLE, RunAddress

_TIMEOUT_S = 30.0
_PATH = "/api/incoming"


class SendError(Exception):
    """The dashboard did not take the bytes; the message says why."""


class ContentError(SendError):
    """The dashboard has other bytes under this name: a file of another writer."""


@dataclass(frozen=True)
class Held:
    """What the dashboard has of a file.

    Attributes:
        size: number of its bytes.
        head: checksum of its first bytes, at most `HEAD_BYTES`.
        closed: whether it is complete.
    """

    size: int
    head: int
    closed: bool


class Transport:
    """The way to a run on a dashboard.

    Args:
        address: the run's address.
    """

    def __init__(self, address: RunAddress) -> None:
        self._address = address
        self._place: tuple[str, str] | None = None
        # A dashboard on this machine is never behind a proxy, whatever the environment says.
        self._opener = build_opener(ProxyHandler({}) if address.local else ProxyHandler(), _NoRedirects)

    def ask(self, file: str) -> Held:
        """How much the dashboard has of a file.

        Raises:
            SendError: it does not answer, or refuses.
        """
        if self._place is None:
            self._place = self._find(file)
        return self._request(self._place, file)

    def append(self, file: str, offset: int, data: bytes, *, closed: bool) -> Held:
        """Write bytes at an offset of a file, which is at most its size.

        Args:
            file: its name.
            offset: where they go.
            data: the bytes. None renew the sign that the writer lives.
            closed: whether the file ends behind them.

        Raises:
            SendError: the dashboard does not answer, or refuses.
        """
        if self._place is None:
            self._place = self._find(file)
        return self._request(self._place, file, offset, data, closed)

    def _find(self, file: str) -> tuple[str, str]:
        """The dashboard's address and the run's name there."""
        for place in self._address.places():
            try:
                self._request(place, file)
            except _NoDashboardError:
                continue
            return place
        raise SendError(f"There is no dashboard at {self._address.origin} that takes runs. Is its version older?")

    def _request(
        self, place: tuple[str, str], file: str, offset: int = 0, data: bytes | None = None, closed: bool = False
    ) -> Held:
        query: dict[str, Any] = {"run": place[1], "file": file}
        if data is not None:
            query |= {"offset": offset, "closed": str(closed).lower()}
        headers = {"Content-Type": "application/octet-stream"}
        if self._address.token:
            headers["Authorization"] = f"Bearer {self._address.token}"
        request = Request(f"{place[0]}{_PATH}?{urlencode(query)}", data, headers)  # noqa: S310
        try:
            with self._opener.open(request, timeout=_TIMEOUT_S) as answer:
                return _held(answer.read())
        except HTTPError as refusal:
            with refusal:
                raise self._refused(refusal) from None
        except (OSError, http.client.HTTPException) as error:
            reason = error.reason if isinstance(error, URLError) else error
            raise SendError(f"The dashboard at {self._address.origin} cannot be reached ({reason}).") from None

    def _refused(self, refusal: HTTPError) -> SendError:
        if refusal.code in (301, 302, 303, 307, 308):
            target = refusal.headers.get("Location", "elsewhere")
            return SendError(f"{self._address.origin} redirects to {target}. Give the writer that address.")
        problem = _problem(refusal)
        code, message = str(problem.get("code", "")), str(problem.get("message", ""))
        if code in ("", "not_found"):
            return _NoDashboardError(f"{self._address.origin} answered with status {refusal.code}.")
        if code == "other_content":
            return ContentError(message)
        if code in ("token_wanted", "wrong_token", "origin_missing"):
            return SendError(
                f"The dashboard at {self._address.origin} wants its token: 'mindinsight status --link' prints it. Set "
                f"{TOKEN_VARIABLE}, or add ?token=... to the address."
            )
        return SendError(f"The dashboard at {self._address.origin} refused: {message}")


class _NoDashboardError(SendError):
    """Something else answered at an address."""


class _NoRedirects(HTTPRedirectHandler):
    """Follows no redirect, because the token would be sent along to the new address."""

    def redirect_request(self, *args: object, **kwargs: object) -> None:
        """Called by urllib for each redirect. None makes it an error."""


def _held(body: bytes) -> Held:
    try:
        found = json.loads(body)
        return Held(int(found["size"]), int(found["head"]), bool(found["closed"]))
    except (ValueError, KeyError, TypeError):
        raise _NoDashboardError("The answer is not that of a dashboard.") from None


def _problem(refusal: HTTPError) -> dict[str, Any]:
    """The JSON error object of a refusal, or an empty one if the answer is something else."""
    try:
        body = json.loads(refusal.read(1 << 16))
    except (ValueError, OSError, http.client.HTTPException):
        return {}
    return body if isinstance(body, dict) else {}
