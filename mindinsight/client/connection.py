"""Sends requests to a dashboard over HTTP: address and token, proxies, retries, and errors that say what to do."""

from __future__ import annotations

import http.client
import ipaddress
import json
import os
import time
from collections.abc import Mapping
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import parse_qs, quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from mindinsight.client.errors import LOST, ClientError, no_dashboard, token_trouble, unreachable

TOKEN_VARIABLE = "MINDINSIGHT_TOKEN"  # noqa: S105  (a name, not a secret)
_STATUS = "/api/status"
# Seconds to wait before a retry after a connection broke off, for example because a web server restarts.
_PAUSES = (0.2, 1.0)


class Connection:
    """The address of a dashboard, and how to send requests to it.

    Args:
        address: the dashboard's address. The link with `?token=` that `mindinsight start` prints works too.
        token: the dashboard's token. Default: the token in the address or in the environment variable
        `MINDINSIGHT_TOKEN`. timeout: seconds to wait for data before giving up.

    Raises:
        ClientError: `address` is not an address.
    """

    def __init__(self, address: str, token: str | None, timeout: float) -> None:
        self.address, in_address = _parse_address(address)
        self._token = token or in_address or os.environ.get(TOKEN_VARIABLE) or None
        self._timeout = timeout
        self._opener = _opener(urlsplit(self.address).hostname or "")

    def get_json(self, path: str, **query: object) -> Any:
        """Returns the JSON answer to a GET of `path` below the address. Query parameters that are None are left out.

        Raises:
            ClientError: the request failed.
        """
        body = self.get(path, **query)
        try:
            return json.loads(body)
        except ValueError:
            raise no_dashboard(self.address) from None

    def get(self, path: str, **query: object) -> bytes:
        """Returns the body of the answer to a GET of `path`. Retries if the connection is lost.

        Raises:
            ClientError: the request failed.
        """
        given = urlencode({name: value for name, value in query.items() if value is not None}, safe=",")
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        request = Request(f"{self.address}{path}{'?' if given else ''}{given}", headers=headers)  # noqa: S310
        for pause in (*_PAUSES, None):
            try:
                with self._opener.open(request, timeout=self._timeout) as answer:
                    return bytes(answer.read())
            except HTTPError as refusal:
                with refusal:
                    raise self._refused(path, refusal) from None
            except (OSError, http.client.HTTPException) as error:
                reason = error.reason if isinstance(error, URLError) else error
                if pause is None or not isinstance(reason, LOST):
                    raise unreachable(self.address, reason, self._timeout) from error
                time.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def misunderstood(self, path: str) -> ClientError:
        """Returns the error for an answer that lacks expected parts."""
        return ClientError(
            f"The dashboard at {self.address} answered {path} in a form that this client does not know; "
            f"{self._version()} Install the same version of mindinsight on both sides."
        )

    def _refused(self, path: str, refusal: HTTPError) -> ClientError:
        if refusal.code in (301, 302, 303, 307, 308):
            target = refusal.headers.get("Location", "elsewhere")
            return ClientError(f"{self.address} redirects to {target}. Give Client that address.")
        problem = _problem(refusal)
        code = str(problem.get("code", ""))
        if code in ("token_wanted", "wrong_token"):
            return token_trouble(self.address, code, TOKEN_VARIABLE)
        if refusal.code == 404 and code == "not_found" and path != _STATUS:
            return ClientError(
                f"The dashboard at {self.address} is too old for this client: it does not know {path}; "
                f"{self._version()} Update it with 'pip install --upgrade mindinsight' and start it again.",
                "too_old",
            )
        if not code:
            return no_dashboard(self.address, f" (HTTP {refusal.code})")
        return ClientError(f"The dashboard at {self.address} refused: {problem.get('message', code)}", code)

    def _version(self) -> str:
        """Returns the end of a sentence with the dashboard's version, if known."""
        try:
            return f"its version is {self.get_json(_STATUS)['version']}."
        except (ClientError, KeyError, TypeError):
            return "its version is unknown."


class _NoRedirects(HTTPRedirectHandler):
    """Follows no redirect, because the token would be sent along to the new address."""

    def redirect_request(self, *args: object, **kwargs: object) -> None:
        """Called by urllib for each redirect. None makes it an error."""


def _opener(host: str) -> OpenerDirector:
    # A dashboard on this machine is never behind a proxy, whatever the environment says.
    return build_opener(ProxyHandler({}) if _is_local(host) else ProxyHandler(), _NoRedirects)


def _is_local(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _parse_address(address: str) -> tuple[str, str | None]:
    """Returns the address without token and trailing slash, and the token."""
    given = address.strip()
    try:
        parts = urlsplit(given if "://" in given else f"http://{given}")
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
            raise ValueError
        _ = parts.port  # Raises if the port is invalid.
    except ValueError:
        shown = given.partition("?")[0]
        message = f"{shown!r} is not an address of a dashboard; 'http://127.0.0.1:8080' is one, for example."
        raise ClientError(message) from None
    tokens = parse_qs(parts.query).get("token", [None])
    return f"{parts.scheme}://{parts.netloc}{quote(parts.path.rstrip('/'), safe='/%')}", tokens[0]


def _problem(refusal: HTTPError) -> Mapping[str, object]:
    """Returns the JSON error object of a refusal, or an empty one if the answer is something else."""
    try:
        body = json.loads(refusal.read())
    except (ValueError, OSError, http.client.HTTPException):
        return {}
    return body if isinstance(body, dict) else {}
