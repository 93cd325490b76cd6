"""Views that belong to no app: the token, the page with the front end, and unknown addresses."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import orjson
from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict

from mindinsight.api.problems import error_body
from mindinsight.config.front_end import Build, build_of

_BASE = re.compile(r'<base href="/"\s*/?>')
_NOT_BUILT = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>Front end missing</title><link rel=icon href=data:,>"
    "<h1>The front end is not built</h1>"
    "<p>This is a checkout whose pages were never built: <code>make run</code> builds them and starts again. "
    "The API works meanwhile.</p>"
)
# Links to the index of series, by the runs that an address shows. For a list of runs only the page knows the numbers.
_SERIES = {
    runs: f'<link rel="preload" as="fetch" crossorigin href="api/scalars/series{query}">'
    for runs, query in {"": "?standard=true", "all": ""}.items()
}
# The characters that JavaScript's encodeURIComponent keeps, besides letters, digits and _.-~.
_UNESCAPED = "!'()*"
_READING = ("GET", "HEAD")

View = Callable[..., HttpResponse]


def _json(body: object, status: int = 200) -> HttpResponse:
    return HttpResponse(
        orjson.dumps(body),
        content_type="application/json",
        status=status,
        headers={"Cache-Control": "no-store"},
    )


def _only_read(view: View) -> View:
    """A view that answers GET and HEAD, and 405 to any other method."""

    @functools.wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method in _READING:
            return view(request, *args, **kwargs)
        message = f"{request.path} answers GET and HEAD; {request.method} is not possible here."
        response = _json(error_body("method_not_allowed", message, {"path": request.path}), 405)
        response["Allow"] = ", ".join(_READING)
        return response

    return answer


@_only_read
def token(request: HttpRequest) -> HttpResponse:
    """The token, for clients that have shown it already. The gate stops all others."""
    return _json({"token": settings.ENVIRONMENT.token()})


@_only_read
def page(request: HttpRequest) -> HttpResponse:
    """The front end's only page, with its path prefix and links to the data that this address needs."""
    folder = settings.FRONTEND_DIRECTORY
    built = _built(build_of(folder), folder, settings.ENVIRONMENT.prefix)
    if built is None:
        return HttpResponse(_NOT_BUILT, status=503)
    name = request.path_info.strip("/").partition("/")[0]
    links = [
        built.links.get(name, ""),
        _SERIES.get(request.GET.get("runs", ""), ""),
        *_data_links(built.data.get(name, ()), request.GET),
    ]
    document = built.document.replace("</head>", f"{''.join(links)}</head>", 1)
    return HttpResponse(document, headers={"Cache-Control": "no-cache"})


@dataclass(frozen=True, slots=True)
class _Built:
    """The results of the front end's build.

    Attributes:
        document: the page, with the path prefix.
        links: by page, links that make the browser load its files together with the shell's.
        data: by page, addresses of the API. `takes` names the parameter of the page's address that replaces `{}`, if
        any. The page does not request an address if its own address has one of the parameters in `unless`.
    """

    document: str
    links: dict[str, str]
    data: dict[str, list[dict[str, Any]]]


@functools.lru_cache(maxsize=1)
def _built(_build: Build, folder: Path, prefix: str) -> _Built | None:
    if not (folder / "index.html").is_file():
        return None
    base = f'<base href="{escape(f"{prefix}/", quote=True)}">'
    index = folder / "index.html"
    document, replaced = _BASE.subn(lambda _: base, index.read_text(encoding="utf-8"), count=1)
    if not replaced:
        raise ValueError(f'{index} has no <base href="/">, the place of the path prefix. Build the front end again.')
    path = folder / "pages.json"
    pages: dict[str, Any] = orjson.loads(path.read_bytes()) if path.is_file() else {"files": {}, "data": {}}
    links = {name: "".join(map(_file_link, files)) for name, files in pages["files"].items()}
    return _Built(document, links, pages["data"])


def _file_link(file: str) -> str:
    kind = '"modulepreload"' if file.endswith(".js") else '"preload" as=style'
    return f'<link rel={kind} crossorigin href="./{escape(file, quote=True)}">'


def _data_links(data: Iterable[dict[str, Any]], query: QueryDict) -> Iterator[str]:
    """Links to the data that a page at this address loads first. They equal the page's own requests to the letter."""
    for one in data:
        takes = one["takes"]
        if (takes is None or takes in query) and not any(name in query for name in one["unless"]):
            address = one["address"].replace("{}", quote(str(query.get(takes, "")), safe=_UNESCAPED))
            yield f'<link rel="preload" as="fetch" crossorigin href="{escape(address, quote=True)}">'


@_only_read
def schema(request: HttpRequest) -> HttpResponse:
    """The API's description. Imported when requested: seven megabytes that most servers never need."""
    from drf_spectacular.views import SpectacularAPIView

    return SpectacularAPIView.as_view()(request)


@_only_read
def docs(request: HttpRequest) -> HttpResponse:
    """The API's interactive page."""
    from drf_spectacular.views import SpectacularSwaggerSplitView

    return SpectacularSwaggerSplitView.as_view(url_name="schema", template_name="api_docs.html")(request)


@_only_read
def follow_link(request: HttpRequest, key: str) -> HttpResponse:
    """The page of a saved view, by its short link."""
    from mindinsight.views.api import follow_link as follow

    return follow(request, key)


def unknown_api(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
    """An unknown address below `/api/`."""
    return _json(error_body("not_found", f"There is no {request.path}.", {"path": request.path}), 404)


def unknown_file(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
    """A file that does not exist."""
    return HttpResponse("There is no such file.", status=404, content_type="text/plain")
