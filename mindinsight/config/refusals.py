"""What the gate itself says: refusals as JSON or as a small page, and the step after a token link.

Only `gate.py` uses this. The pages carry no script and no style, so they work under the strictest policy, and name an
empty icon, so that a browser does not ask for one that it may not have.
"""

from __future__ import annotations

import html
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from mindinsight.config.problems import error_body

_PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
    '<meta name="viewport" content="width=device-width,initial-scale=1"><link rel="icon" href="data:,">{head}'
    "<body><main><h1>{title}</h1><p>{message}</p>{body}</main></body></html>"
)
_FORM = (
    '<form method="post" action="{action}"><p><label>Token <input name="token" type="password" '
    'autocomplete="current-password" required></label> <button>Open</button></p></form>'
)


@dataclass(frozen=True)
class Answer:
    """A finished answer.

    Attributes:
        status: HTTP status.
        code: stable name of the error.
        title: heading of the page.
        message: a sentence for the person who reads it.
        detail: what the sentence names.
        head: further elements of the page's head.
        body: further elements of the page's body.
        asks_token: whether the page has a form for the token.
        headers: further response headers.
    """

    status: int
    code: str
    title: str
    message: str
    detail: dict[str, object] = field(default_factory=dict)
    head: str = ""
    body: str = ""
    asks_token: bool = False
    headers: tuple[tuple[bytes, bytes], ...] = ()

    async def send(
        self, send: Callable[[MutableMapping[str, Any]], Awaitable[None]], page: bool, token_path: str = ""
    ) -> None:
        """Sends the answer, as a page for people or as JSON for scripts.

        Args:
            send: ASGI's way out.
            page: whether a person reads it.
            token_path: where a page's form sends the token.
        """
        body = self._page(token_path) if page else orjson.dumps(error_body(self.code, self.message, self.detail))
        kind = b"text/html; charset=utf-8" if page else b"application/json"
        headers = [
            (b"content-type", kind),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
        ]
        start = {"type": "http.response.start", "status": self.status, "headers": [*headers, *self.headers]}
        await send(start)
        await send({"type": "http.response.body", "body": body})

    def _page(self, token_path: str) -> bytes:
        body = _FORM.format(action=html.escape(token_path, quote=True)) if self.asks_token else self.body
        page = _PAGE.format(title=self.title, message=html.escape(self.message), head=self.head, body=body)
        return page.encode()


TOO_LARGE = Answer(413, "body_too_large", "Too large", "A request may carry at most 1 MiB.")
NO_ORIGIN = Answer(
    403,
    "token_wanted",
    "Token wanted",
    "A client that is no browser shows the token: send the header 'Authorization: Bearer TOKEN' with the content of "
    "the file 'token' in the dashboard's workspace.",
)
TOKEN_WANTED = Answer(
    401,
    "token_wanted",
    "Token wanted",
    "This dashboard listens on more than this machine, so it asks for its token. Open the link that 'mindinsight "
    "start' printed, or paste the token from the file 'token' in the workspace.",
    asks_token=True,
)
WRONG_TOKEN = Answer(
    403,
    "wrong_token",
    "Wrong token",
    "This is not the token of this dashboard. Open the link that 'mindinsight start' printed most recently.",
    asks_token=True,
)


def foreign_host(host: str) -> Answer:
    """The `Host` header names somebody else: a name that was pointed here, or an unknown proxy."""
    return Answer(
        400,
        "foreign_host",
        "Unknown host",
        f"This dashboard does not answer to '{host}'. If it is right, start it with MINDINSIGHT_ALLOWED_HOSTS={host}.",
        {"host": host},
    )


def foreign_origin(origin: str) -> Answer:
    """The request comes from a page of another address."""
    return Answer(
        403,
        "foreign_origin",
        "Unknown origin",
        f"A page of '{origin}' may not use this dashboard. If it may, start it with "
        f"MINDINSIGHT_ALLOWED_ORIGINS={origin}.",
        {"origin": origin},
    )


def go_on(target: str, cookie: str) -> Answer:
    """The token was right: set the cookie and let the page itself go on.

    A redirect would still count as coming from the page that held the link, and the strict cookie would not be sent.
    """
    address = html.escape(target, quote=True)
    return Answer(
        200,
        "token_accepted",
        "Opening the dashboard",
        "One moment.",
        head=f'<meta http-equiv="refresh" content="0;url={address}">',
        body=f'<p><a href="{address}">Go on</a></p>',
        headers=((b"set-cookie", cookie.encode("latin-1")),),
    )
