"""The documentation site is whole, and loads nothing from elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOADING = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "video": "src"}


class Assets(HTMLParser):
    """Collects the addresses that a page makes a browser load."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Called by the parser for each tag."""
        address = dict(attrs).get(LOADING.get(tag, ""))
        if address:
            self.addresses.append(address)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; warnings, such as links that lead nowhere, are errors."""
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(target)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return target


def test_every_page_loads_only_files_of_the_site(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 15
    for page in pages:
        for address in Assets(page.read_text()).addresses:
            parts = urlsplit(address)
            assert not parts.scheme, f"{page.name} loads {address}"
            assert not parts.netloc, f"{page.name} loads {address}"
            base = site if parts.path.startswith("/") else page.parent
            assert (base / parts.path.lstrip("/")).exists(), f"{page.name} lacks {address}"


def test_no_style_sheet_loads_from_elsewhere(site: Path) -> None:
    for sheet in site.rglob("*.css"):
        foreign = re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^)]*", sheet.read_text())
        assert foreign == [], sheet.name


def test_nothing_but_documentation_is_in_the_site(site: Path) -> None:
    assert list(site.rglob("*.py")) == []
