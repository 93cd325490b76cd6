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
    """The front end's one page, told below which path it is served."""
    document = _page()
    if document is None:
        return HttpResponse(_NOT_BUILT, status=503)
    return HttpResponse(document, headers={"Cache-Control": "no-cache"})


@functools.cache
def _page() -> str | None:
    path = settings.FRONTEND_DIRECTORY / "index.html"
    if not path.is_file():
        return None
    base = escape(f"{settings.ENVIRONMENT.prefix}/", quote=True)
    return path.read_text(encoding="utf-8").replace('<base href="/">', f'<base href="{base}">', 1)


def schema(request: HttpRequest) -> HttpResponse:
    """The API's description. Imported when asked for: seven megabytes that most servers never need."""
    from drf_spectacular.views import SpectacularAPIView

    return SpectacularAPIView.as_view()(request)


def docs(request: HttpRequest) -> HttpResponse:
    """The API's interactive page."""
    from drf_spectacular.views import SpectacularSwaggerSplitView

    return SpectacularSwaggerSplitView.as_view(url_name="schema", template_name="api_docs.html")(request)


def unknown_api(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
    """An address below `/api/` that is none."""
    return _json(error_body("not_found", f"There is no {request.path}.", {"path": request.path}), 404)


def unknown_file(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
    """A file that does not exist."""
    return HttpResponse("There is no such file.", status=404, content_type="text/plain")
