"""The gate's own answers: refusals as JSON or as a small page, and the step after a token link.

Pages have no script. The content security policy allows their style by its hash (`STYLE_SOURCE`). Used by `gate.py`.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from mindinsight.api.problems import error_body
from mindinsight.environment import Environment


@dataclass(frozen=True)
class Answer:
    """A finished answer.

    Attributes:
        status: HTTP status.
        code: stable name of the error.
        title: heading of the page.
        message: sentences for the user. Each line is a paragraph of the page.
        detail: the values that the sentence mentions.
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
            send: ASGI's send function.
            for_person: whether a person reads the answer.
            token_path: the path to which the page's form sends the token.
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
    "A client that is not a browser needs the token: send the header 'Authorization: Bearer TOKEN' with the content of "
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
    """The client must show the token: either everybody must, or it belongs to another account than the dashboard.

    Args:
        environment: who needs the token, and its file.
    """
    if environment.token_file is None:
        why = "Only the account that runs this dashboard may use it: there is no token for others."
        where = "To let others in, start it with MINDINSIGHT_TOKEN_FILE=FILE, a file with a token."
    elif environment.require_token:
        why = "This dashboard requires its token from everyone."
        where = (
            "Open the link that 'mindinsight start' printed; 'mindinsight status --link' prints it again. Or paste the "
            "token from the file 'token' in the dashboard's workspace."
        )
    else:
        why = (
            "Only the account that this dashboard runs as may open it without a token. You use another account, a "
            "proxy or a container."
        )
        where = (
            f"The token is in the file {environment.token_file}, which only that account can read. Paste it here, or "
            "let that account run 'mindinsight status --link' and open the link that it prints."
        )
    return Answer(401, "token_wanted", "Token wanted", f"{why}\n{where}", asks_token=environment.token_file is not None)


def foreign_host(host: str) -> Answer:
    """The `Host` header is unknown: a foreign name that resolves to this machine, or an unknown proxy."""
    return Answer(
        400,
        "foreign_host",
        "Unknown host",
        f"This dashboard does not answer to '{host}'. If this name is right, start it with "
        f"MINDINSIGHT_ALLOWED_HOSTS={host}.",
        {"host": host},
    )


def foreign_origin(origin: str) -> Answer:
    """The request comes from a page with a foreign origin."""
    return Answer(
        403,
        "foreign_origin",
        "Unknown origin",
        f"A page of '{origin}' may not use this dashboard. To allow it, start the dashboard with "
        f"MINDINSIGHT_ALLOWED_ORIGINS={origin}.",
        {"origin": origin},
    )


def go_on(target: str, cookie: str) -> Answer:
    """The token is right: sets the cookie, and the page itself loads the dashboard.

    A redirect would still count as a request of the page with the link, and the strict cookie would not be sent.
    """
    address = html.escape(target, quote=True)
    return Answer(
        200,
        "token_accepted",
        "Opening the dashboard",
        "One moment.",
        head=f'<meta http-equiv="refresh" content="0;url={address}">',
        body=f'<p><a href="{address}">Continue</a></p>',
        headers=((b"set-cookie", cookie.encode("latin-1")),),
    )


# Colours and sizes as in frontend/src/design/tokens.css.
_STYLE = """
:root { color-scheme: light dark; --bg: #f5f6f8; --panel: #fff; --line: #e2e5ea; --control: #7d8694; --text: #1b212b;
  --text-2: #566070; --accent: #1d5fd1; --on-accent: #fff }
@media (prefers-color-scheme: dark) { :root { --bg: #12161c; --panel: #181e26; --line: #272f3a; --control: #6f7b8b;
  --text: #e6eaf0; --text-2: #a3adba; --accent: #7aa8f5; --on-accent: #0f1622 } }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--bg); color: var(--text);
  font: 14px/1.5 Inter, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif }
main { box-sizing: border-box; width: min(520px, 100vw - 32px); margin: 16px; padding: 24px 32px;
  background: var(--panel); border: 1px solid var(--line); border-radius: 8px }
h1 { margin: 0 0 12px; font-size: 20px; font-weight: 600 }
p { margin: 12px 0; overflow-wrap: anywhere; color: var(--text-2) }
form { display: grid; grid-template-columns: auto 1fr auto; gap: 8px; align-items: center; margin-top: 20px }
input, button { box-sizing: border-box; height: 32px; border-radius: 6px; font: inherit }
input { min-width: 0; padding: 0 8px; border: 1px solid var(--control); background: var(--panel); color: var(--text) }
button { padding: 0 16px; border: 0; background: var(--accent); color: var(--on-accent); font-weight: 500;
  cursor: pointer }
a { color: var(--accent) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
"""
_PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>{title} - MindInsight</title>'
    '<meta name="viewport" content="width=device-width,initial-scale=1"><link rel="icon" href="data:,">'
    "<style>{style}</style>{head}<body><main><h1>{title}</h1>{text}{body}</main></body></html>"
)
_FORM = (
    '<form method="post" action="{action}"><label for="token">Token</label><input id="token" name="token" '
    'type="password" autocomplete="current-password" required autofocus><button>Open</button></form>'
)
STYLE_SOURCE = f"'sha256-{base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()}'"


def page(title: str, message: str, head: str = "", body: str = "") -> bytes:
    """Returns a page.

    Args:
        title: the heading, as HTML.
        message: the text. Each line becomes a paragraph.
        head: further elements of its head, as HTML.
        body: further elements below the text, as HTML.
    """
    text = "".join(f"<p>{html.escape(line)}</p>" for line in message.splitlines())
    return _PAGE.format(title=title, style=_STYLE, head=head, text=text, body=body).encode()


def token_form(action: str) -> str:
    """Returns a form for the token, as HTML.

    Args:
        action: the path of the POST request.
    """
    return _FORM.format(action=html.escape(action, quote=True))
