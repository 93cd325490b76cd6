"""All addresses: the API, its schema and its interactive page, and the page for everything else.

The addresses of an app are imported when one of them is asked for the first time; `config/asgi.py` imports those that
nearly every page asks for.
"""

from django.urls import URLPattern, URLResolver, path, re_path

from mindinsight.api import url_converters as url_converters  # Registers the converters of `path`.
from mindinsight.config import views
from mindinsight.config.lean import import_rest_framework

import_rest_framework()

APPS = {
    "api/scalars/": "mindinsight.scalars.urls",
    "api/distributions/": "mindinsight.distributions.urls",
    "api/images/": "mindinsight.images.urls",
    "api/tensors/": "mindinsight.tensors.urls",
    "api/text/": "mindinsight.text.urls",
    "api/graphs/": "mindinsight.graphs.urls",
    "api/lineage/": "mindinsight.lineage.urls",
    "api/debugger/": "mindinsight.debugger.urls",
    "api/views": "mindinsight.views.urls",
    "api/exports": "mindinsight.exports.urls",
    # The last one: everything above begins like it.
    "api/": "mindinsight.runs.urls",
}
"""Where the addresses of each app begin, and the module that has them."""

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/token", views.token),
    path("api/schema/", views.schema, name="schema"),
    path("api/docs/", views.docs, name="docs"),
    # What Django's `include` returns for a module; `include` itself imports the module at once.
    *(path(prefix, (module, None, None)) for prefix, module in APPS.items()),  # type: ignore[arg-type]
    path("v/<view:key>", views.follow_link),
    # `\Z` and not `$`, which matches before a line break at the end, and `[\s\S]` and not a dot, which matches none.
    re_path(r"^api(/[\s\S]*)?\Z", views.unknown_api),
    re_path(r"^(static|assets)/[\s\S]*\Z", views.unknown_file),
    re_path(r"^[^.]*\Z", views.page),
]
handler404 = views.unknown_file
