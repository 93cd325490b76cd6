"""The gate's own small pages. They have no script; the content security policy names their style by its hash.

Used by `refusals.py`; `gate.py` puts the hash into the policy. The front end's files are behind the gate, so a page
that refuses cannot load them. An empty icon keeps a browser from asking for one that it may not have.
"""

from __future__ import annotations

import base64
import hashlib
import html

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
        title: its heading, as HTML.
        message: text; each line becomes a paragraph.
        head: further elements of its head, as HTML.
        body: further elements below the text, as HTML.
    """
    text = "".join(f"<p>{html.escape(line)}</p>" for line in message.splitlines())
    return _PAGE.format(title=title, style=_STYLE, head=head, text=text, body=body).encode()


def token_form(action: str) -> str:
    """Returns a form for the token, as HTML.

    Args:
        action: the path that it posts to.
    """
    return _FORM.format(action=html.escape(action, quote=True))
