"""Browser windows that forget nothing: whatever goes wrong in one is kept, and fails the test at its end."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request

from tests.dashboard import Dashboard

# Leaving a page ends what it was still fetching; that is no failure.
LEFT = "net::ERR_ABORTED"
WATCH_POLICY = """document.addEventListener('securitypolicyviolation', (event) =>
  console.error('content security policy: ' + event.violatedDirective + ' ' + event.blockedURI))"""
NOTE_PAINTED = """window.painted = {}; window.__mindinsightPainted = (tag, step) => { window.painted[tag] = step }"""
DEFAULTS: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}, "locale": "en-US", "color_scheme": "light"}


@dataclass
class Troubles:
    """What went wrong in the windows of one test."""

    seen: list[str] = field(default_factory=list)
    _expected: list[re.Pattern[str]] = field(default_factory=list)

    def expect(self, pattern: str) -> None:
        """The test is about an error."""
        self._expected.append(re.compile(pattern))

    def unexpected(self) -> list[str]:
        """Everything else."""
        return [text for text in self.seen if not any(pattern.search(text) for pattern in self._expected)]


class Visits:
    """Opens windows on dashboards.

    Args:
        browser: the browser.
        troubles: where to keep what goes wrong.
    """

    def __init__(self, browser: Browser, troubles: Troubles) -> None:
        self._browser = browser
        self._troubles = troubles
        self._contexts: list[BrowserContext] = []

    def __call__(
        self, dashboard: Dashboard | str, path: str = "/", scripts: tuple[str, ...] = (), **options: Any
    ) -> Page:
        """Opens a page in a window of its own.

        Args:
            dashboard: the dashboard, or a whole address.
            path: path below the dashboard's address.
            scripts: scripts to run before the page's own.
            options: options of the window, such as locale="zh-CN".
        """
        page = self.window(dashboard, scripts, **options)
        page.goto(dashboard if isinstance(dashboard, str) else dashboard.address + path)
        return page

    def window(self, dashboard: Dashboard | str, scripts: tuple[str, ...] = (), **options: Any) -> Page:
        """A window with nothing open yet; only requests to the dashboard's host are allowed."""
        context = self._browser.new_context(**DEFAULTS | options)
        self._contexts.append(context)
        address = dashboard if isinstance(dashboard, str) else dashboard.address
        self._watch(context, urlsplit(address).netloc)
        for script in (WATCH_POLICY, NOTE_PAINTED, *scripts):
            context.add_init_script(script)
        page = context.new_page()
        page.set_default_timeout(20_000)
        return page

    def close(self) -> None:
        """Closes all windows."""
        for context in self._contexts:
            context.close()

    def _watch(self, context: BrowserContext, host: str) -> None:
        note = self._troubles.seen.append

        def on_console(message: ConsoleMessage) -> None:
            if message.type == "error":
                note(f"console: {message.text} {message.location['url']}")

        def on_failed(request: Request) -> None:
            if request.failure != LEFT:
                note(f"failed: {request.method} {request.url} {request.failure}")

        def on_address(url: str) -> None:
            parts = urlsplit(url)
            if parts.scheme not in ("data", "blob") and parts.netloc != host:
                note(f"foreign: {url}")

        context.on("console", on_console)
        context.on("weberror", lambda error: note(f"error: {error.error}"))
        context.on("requestfailed", on_failed)
        context.on("request", lambda request: on_address(request.url))
        context.on("page", lambda page: page.on("websocket", lambda socket: on_address(socket.url)))
