"""What belongs to no app: the token, the page that carries the front end, and addresses that nobody knows."""

from __future__ import annotations

import functools
from html import escape

import orjson
from django.conf import settings
from django.http import HttpRequest, HttpResponse

from mindinsight.config.problems import error_body

_NOT_BUILT = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>Front end missing</title><link rel=icon href=data:,>"
    "<h1>The front end is not built</h1>"
    "<p>This is a checkout whose pages were never built: <code>make run</code> builds them and starts again. "
    "The API works meanwhile.</p>"
)
# Links to the index of series, by the runs that an address shows: of a list of some only the page knows the numbers.
_SERIES = {
    runs: f'<link rel="preload" as="fetch" crossorigin href="api/scalars/series{query}">'
    for runs, query in {"": "?standard=true", "all": ""}.items()
}


def _json(body: object, status: int = 200) -> HttpResponse:
    return HttpResponse(
        orjson.dumps(body),
        content_type="application/json",
        status=status,
        headers={"Cache-Control": "no-store"},
    )


def token(request: HttpRequest) -> HttpResponse:
    """The token, for who has shown it already (the gate lets nobody else come here)."""
    return _json({"token": settings.ENVIRONMENT.token()})


def page(request: HttpRequest) -> HttpResponse:
    """The front end's one page, told below which path it is served and what the page at this address will need."""
    document = _page(request.path_info.strip("/").partition("/")[0], _SERIES.get(request.GET.get("runs", ""), ""))
    if document is None:
        return HttpResponse(_NOT_BUILT, status=503)
    return HttpResponse(document, headers={"Cache-Control": "no-cache"})


@functools.lru_cache(maxsize=64)
def _page(name: str, series: str) -> str | None:
    path = settings.FRONTEND_DIRECTORY / "index.html"
    if not path.is_file():
        return None
    base = escape(f"{settings.ENVIRONMENT.prefix}/", quote=True)
    document = path.read_text(encoding="utf-8").replace('<base href="/">', f'<base href="{base}">', 1)
    return document.replace("</head>", f"{_links(name)}{series}</head>", 1)


def _links(name: str) -> str:
    """Links that make the browser fetch the files of a page together with those of the shell."""
    path = settings.FRONTEND_DIRECTORY / "pages.json"
    files: list[str] = orjson.loads(path.read_bytes()).get(name, []) if path.is_file() else []
    return "".join(
        f'<link rel="{"modulepreload" if file.endswith(".js") else "preload"}"'
        f'{"" if file.endswith(".js") else " as=style"} crossorigin href="./{escape(file, quote=True)}">'
        for file in files
    )


def schema(request: HttpRequest) -> HttpResponse:
    """The API's description. Imported when asked for: seven megabytes that most servers never need."""
    from drf_spectacular.views import SpectacularAPIView

    return SpectacularAPIView.as_view()(request)


def docs(request: HttpRequest) -> HttpResponse:
    """The API's interactive page."""
    from drf_spectacular.views import SpectacularSwaggerSplitView

    return SpectacularSwaggerSplitView.as_view(url_name="schema", template_name="api_docs.html")(request)


def follow_link(request: HttpRequest, key: str) -> HttpResponse:
    """The page of a saved view, by its short link."""
    from mindinsight.views.api import follow_link as follow

    return follow(request, key)


def unknown_api(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
    """An address below `/api/` that is none."""
    return _json(error_body("not_found", f"There is no {request.path}.", {"path": request.path}), 404)


def unknown_file(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
    """A file that does not exist."""
    return HttpResponse("There is no such file.", status=404, content_type="text/plain")
