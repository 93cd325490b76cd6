"""The document of the front end: it names the files of the page that it is opened at."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.test import Client


@pytest.fixture
def built(tmp_path: Path, settings: Any) -> Path:
    """A front end with one page of its own files."""
    (tmp_path / "index.html").write_text('<html><head><base href="/"></head><body></body></html>')
    files = {"madeup": ["assets/a.js", "assets/a.css"]}
    always = {"address": "api/always", "takes": None, "unless": ["with"]}
    data = {"madeup": [{"address": "api/things?thing={}&all=", "takes": "graph", "unless": ["with"]}, always]}
    (tmp_path / "pages.json").write_text(json.dumps({"files": files, "data": data}))
    settings.FRONTEND_DIRECTORY = tmp_path
    return tmp_path


@pytest.mark.parametrize("written", ['<base href="/">', '<base href="/" />', '<base href="/"/>'])
def test_path_prefix_stands_in_the_base_address(client: Client, built: Path, settings: Any, written: str) -> None:
    settings.ENVIRONMENT = replace(settings.ENVIRONMENT, prefix="/team/runs")
    (built / "index.html").write_text(f"<html><head>{written}</head><body></body></html>")
    assert '<head><base href="/team/runs/">' in client.get("/another/address").content.decode()


def test_a_document_without_a_place_for_the_prefix_is_refused(client: Client, built: Path) -> None:
    (built / "index.html").write_text("<html><head></head><body></body></html>")
    with pytest.raises(ValueError, match=r"no <base href=\"/\">"):
        client.get("/another/address")


def test_files_of_the_page_are_named_in_the_document(client: Client, built: Path) -> None:
    document = client.get("/madeup?graph=1").content.decode()
    assert '<link rel="modulepreload" crossorigin href="./assets/a.js">' in document
    assert '<link rel="preload" as=style crossorigin href="./assets/a.css">' in document
    assert document.index("a.js") < document.index("</head>")


def test_other_addresses_name_none(client: Client, built: Path) -> None:
    assert "assets/" not in client.get("/another/address").content.decode()


@pytest.mark.parametrize(
    ("query", "asked"), [("", "series?standard=true"), ("?runs=all&at=3", "series"), ("?runs=ab12.cd34", None)]
)
def test_the_index_of_series_is_asked_for_ahead_where_the_runs_are_known(
    client: Client, built: Path, query: str, asked: str | None
) -> None:
    links = re.findall(r'href="api/scalars/([^"]+)"', client.get(f"/scalars{query}").content.decode())
    assert links == ([] if asked is None else [asked])


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("graph=graph:a/b:0", "graph%3Aa%2Fb%3A0"),
        ("graph=a(b)'!*~&other=1", "a(b)&#x27;!*~"),
        ("graph=%22%3E%3Cscript%3E", "%22%3E%3Cscript%3E"),
        ("graph=a&with=b", None),
        ("", None),
    ],
)
def test_data_of_the_address_are_named_in_the_document(
    client: Client, built: Path, query: str, asked: str | None
) -> None:
    document = client.get(f"/madeup?{query}").content.decode()
    link = f'<link rel="preload" as="fetch" crossorigin href="api/things?thing={asked}&amp;all=">'
    assert (link in document, "api/things" in document) == (asked is not None, asked is not None)
    assert ('href="api/always"' in document) == ("with" not in query)
    assert "api/" not in client.get(f"/another?runs=ab&{query}").content.decode()
