"""The gate's own answers: refusals as JSON or as a small page, and the step after a token link. Used by `gate.py`."""

from __future__ import annotations

import html
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from mindinsight.config.environment import Environment
from mindinsight.config.plain_page import page, token_form
from mindinsight.config.problems import error_body


@dataclass(frozen=True)
class Answer:
    """A finished answer.

    Attributes:
        status: HTTP status.
        code: stable name of the error.
        title: heading of the page.
        message: sentences for the person who reads it; each line is a paragraph of the page.
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
        self, send: Callable[[MutableMapping[str, Any]], Awaitable[None]], for_person: bool, token_path: str = ""
    ) -> None:
        """Sends the answer, as a page for people or as JSON for scripts.

        Args:
            send: ASGI's way out.
            for_person: whether a person reads it.
            token_path: where a page's form sends the token.
        """
        text = self.message.replace("\n", " ")
        body = self._page(token_path) if for_person else orjson.dumps(error_body(self.code, text, self.detail))
        kind = b"text/html; charset=utf-8" if for_person else b"application/json"
        headers = [
            (b"content-type", kind),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
        ]
        start = {"type": "http.response.start", "status": self.status, "headers": [*headers, *self.headers]}
        await send(start)
        await send({"type": "http.response.body", "body": body})

    def _page(self, token_path: str) -> bytes:
        body = token_form(token_path) if self.asks_token else self.body
        return page(self.title, self.message, self.head, body)


TOO_LARGE = Answer(413, "body_too_large", "Too large", "A request may carry at most 1 MiB.")
NO_ORIGIN = Answer(
    403,
    "token_wanted",
    "Token wanted",
    "A client that is no browser shows the token: send the header 'Authorization: Bearer TOKEN' with the content of "
    "the file 'token' in the dashboard's workspace.",
)
WRONG_TOKEN = Answer(
    403,
    "wrong_token",
    "Wrong token",
    "This is not the token of this dashboard. 'mindinsight status --link' prints a link with the right one.",
    asks_token=True,
)


def token_wanted(environment: Environment) -> Answer:
    """The client has to show the token: everybody has to, or another account than the dashboard's own opened it.

    Args:
        environment: says who needs the token, and where it is.
    """
    if environment.token_file is None:
        why = "This dashboard lets in only the account that it runs as, and it has no token for others."
        where = "To let others in, start it with MINDINSIGHT_TOKEN_FILE=FILE, a file with a token."
    elif environment.require_token:
        why = "This dashboard asks everybody for its token."
        where = (
            "Open the link that 'mindinsight start' printed; 'mindinsight status --link' prints it again. Or paste the "
            "token from the file 'token' in the dashboard's workspace."
        )
    else:
        why = (
            "Only the account that this dashboard runs as may open it without a token. You come from another account, "
            "or through a proxy or a container."
        )
        where = (
            f"The token is in the file {environment.token_file}, which only that account can read. Paste it here, or "
            "let that account run 'mindinsight status --link' and open the link that it prints."
        )
    return Answer(401, "token_wanted", "Token wanted", f"{why}\n{where}", asks_token=environment.token_file is not None)


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
