"""The gate: decides who may use pages, API, files and sockets of the dashboard.

It is a pure ASGI layer in front of everything else, because static files and sockets never reach Django's middleware.
It
compares `Host` and `Origin` exactly, requires the token from all accounts but the dashboard's own, limits request
bodies, and adds the headers that keep a page from loading or running foreign content.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode

from mindinsight.environment import Environment
from mindinsight.gate import refusals
from mindinsight.gate.peers import is_own_account
from mindinsight.gate.refusals import STYLE_SOURCE

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

MAX_BODY_BYTES = 1 << 20
OPEN_PATHS = frozenset({"/healthz", "/readyz"})
TOKEN_PATH = "/api/token"  # noqa: S105  (a path, not a secret)
SAFE_METHODS = frozenset({"GET", "HEAD"})
HEADERS = (
    (
        b"content-security-policy",
        f"default-src 'self'; style-src 'self' {STYLE_SOURCE}; img-src 'self' data: blob:; object-src 'none'; "
        "base-uri 'self'; form-action 'self'; frame-ancestors 'none'".encode(),
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)


@dataclass(frozen=True)
class Request:
    """The parts of a request that the gate checks."""

    kind: str
    method: str
    path: str
    query: str
    host: str
    origin: str | None
    bearer: str | None
    cookies: SimpleCookie

    @classmethod
    def of(cls, scope: Scope, prefix: str) -> Request:
        """Reads an ASGI scope. `path` has no prefix."""
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        scheme, _, credentials = headers.get("authorization", "").partition(" ")
        cookies = SimpleCookie()
        try:
            cookies.load(headers.get("cookie", ""))
        except CookieError:
            cookies.clear()
        return cls(
            kind=scope["type"],
            method=scope.get("method", "GET"),
            path=scope["path"].removeprefix(prefix) or "/",
            query=scope["query_string"].decode("latin-1"),
            host=headers.get("host", "").lower(),
            origin=headers.get("origin"),
            bearer=credentials.strip() if scheme.lower() == "bearer" else None,
            cookies=cookies,
        )


class Gate:
    """Passes permitted requests on and answers all others itself.

    Args:
        application: the ASGI application behind the gate.
        environment: address, token and further allowed hosts and origins.
    """

    def __init__(self, application: Application, environment: Environment) -> None:
        self._application = application
        self._environment = environment
        self._hosts = _own_hosts(environment)
        self._origins = {f"http://{host}" for host in self._hosts} | set(environment.allowed_origins)
        self._any_address = environment.host in ("0.0.0.0", "::")  # noqa: S104  (compared, not bound)
        self._token = environment.token()
        self._wanted = refusals.token_wanted(environment)
        self._pass = _pass(environment, self._token)
        self._token_path = f"{environment.prefix}{TOKEN_PATH}"
        self._cookie_name = f"mindinsight_{environment.port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Checks one request or socket."""
        if scope["type"] not in ("http", "websocket"):
            await self._application(scope, receive, send)
            return
        request = Request.of(scope, self._environment.prefix)
        answer = await self._judge(request, scope)
        if answer is None:
            await self._let_through(scope, receive, send)
        elif scope["type"] == "websocket":
            # Closing a socket that was never accepted makes the server answer with HTTP 403.
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        elif request.path == TOKEN_PATH and answer is self._wanted:
            await self._exchange_form(request, receive, _with_headers(send))
        else:
            await answer.send(_with_headers(send), self._wants_page(request), self._token_path)

    async def _judge(self, request: Request, scope: Scope) -> refusals.Answer | None:
        """Returns None if the request may pass, else the answer."""
        if not self._own_host(request.host):
            return refusals.foreign_host(request.host)
        if request.origin is not None and not self._own_origin(request):
            return refusals.foreign_origin(request.origin)
        if request.kind == "http" and _declared_length(scope) > MAX_BODY_BYTES:
            return refusals.TOO_LARGE
        if request.kind == "http" and request.path in OPEN_PATHS:
            return None
        return await self._judge_token(request, scope)

    async def _judge_token(self, request: Request, scope: Scope) -> refusals.Answer | None:
        shown = self._shows_token(request)
        link = self._link_token(request)
        if link is not None:
            return self._answer_link(request, link)
        if request.bearer is not None and not shown:
            return refusals.WRONG_TOKEN
        if not shown and (self._environment.require_token or not await is_own_account(scope)):
            return self._wanted
        changes_something = request.kind == "websocket" or request.method not in SAFE_METHODS
        if changes_something and request.origin is None and not shown:
            return refusals.NO_ORIGIN
        if request.path == TOKEN_PATH and not shown:
            return self._wanted
        return None

    def _own_host(self, host: str) -> bool:
        if host in self._hosts or host.rpartition(":")[0] in self._environment.allowed_hosts:
            return True
        if host in self._environment.allowed_hosts:
            return True
        # When it listens on all interfaces, every address of this machine is accepted. Names must be known, because a
        # foreign page could point a name at this machine.
        return self._any_address and _is_address_on_port(host, self._environment.port)

    def _own_origin(self, request: Request) -> bool:
        if request.origin in self._origins:
            return True
        return self._any_address and request.origin == f"http://{request.host}"

    def _shows_token(self, request: Request) -> bool:
        if self._token is None:
            return False
        if request.bearer is not None:
            return hmac.compare_digest(request.bearer.encode(), self._token.encode())
        cookie = request.cookies.get(self._cookie_name)
        return cookie is not None and hmac.compare_digest(cookie.value.encode(), self._pass.encode())

    def _link_token(self, request: Request) -> str | None:
        """The token in `?token=`, as in the link that `mindinsight start` prints."""
        if request.kind != "http" or request.method != "GET" or request.path.startswith("/api/"):
            return None
        return dict(parse_qsl(request.query)).get("token")

    def _answer_link(self, request: Request, token: str) -> refusals.Answer:
        if self._token is None or not hmac.compare_digest(token.encode(), self._token.encode()):
            return refusals.WRONG_TOKEN
        rest = urlencode([(key, value) for key, value in parse_qsl(request.query) if key != "token"])
        target = f"{self._environment.prefix}{request.path}" + (f"?{rest}" if rest else "")
        return refusals.go_on(target, self._cookie())

    def _cookie(self) -> str:
        path = self._environment.prefix or "/"
        return f"{self._cookie_name}={self._pass}; Path={path}; HttpOnly; SameSite=Strict; Max-Age=2592000"

    async def _exchange_form(self, request: Request, receive: Receive, send: Send) -> None:
        """Handles the form into which a user pastes the token."""
        body = await _read_body(receive)
        token = dict(parse_qsl(body.decode("utf-8", "replace"))).get("token", "").strip()
        if request.method != "POST" or request.origin is None or not token:
            await self._wanted.send(send, self._wants_page(request), self._token_path)
        elif self._token is None or not hmac.compare_digest(token.encode(), self._token.encode()):
            await refusals.WRONG_TOKEN.send(send, for_person=True, token_path=self._token_path)
        else:
            await refusals.go_on(f"{self._environment.prefix}/", self._cookie()).send(send, for_person=True)

    def _wants_page(self, request: Request) -> bool:
        return not request.path.startswith("/api/")

    async def _let_through(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._application(scope, receive, send)
            return
        guarded = _with_headers(send)
        try:
            await self._application(scope, _capped(receive), guarded)
        except _BodyTooLargeError:
            await refusals.TOO_LARGE.send(guarded, for_person=False)


class _BodyTooLargeError(Exception):
    """The body is larger than allowed, and its length was not declared."""


def _own_hosts(environment: Environment) -> set[str]:
    names = {"127.0.0.1", "localhost", "[::1]", socket.gethostname().lower()}
    host = environment.host
    if host not in ("0.0.0.0", "::"):  # noqa: S104  (compared, not bound)
        names.add(f"[{host}]" if ":" in host else host.lower())
    hosts = {f"{name}:{environment.port}" for name in names}
    return hosts | names if environment.port == 80 else hosts


def _pass(environment: Environment, token: str | None) -> str:
    """The cookie's value: proves that the token was shown, but does not contain the token."""
    if token is None:
        return ""
    return hmac.new(environment.secret_key().encode(), b"pass:" + token.encode(), hashlib.sha256).hexdigest()


def _is_address_on_port(host: str, port: int) -> bool:
    name, _, given = host.rpartition(":")
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return given == str(port)


def _declared_length(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value) if value.isdigit() else 0
    return 0


def _capped(receive: Receive) -> Receive:
    """A chunked body has no declared length, so the received bytes are counted."""
    taken = 0

    async def counted() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > MAX_BODY_BYTES:
            raise _BodyTooLargeError
        return message

    return counted


async def _read_body(receive: Receive) -> bytes:
    body = b""
    while len(body) <= 4096:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body", False):
            break
    return body


def _with_headers(send: Send) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *HEADERS]
        await send(message)

    return guarded
