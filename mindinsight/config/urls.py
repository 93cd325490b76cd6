"""All addresses: the API, its schema and interactive page, and the page for everything else.

The addresses of an app are imported at the first request to one of them. `config/asgi.py` imports those that nearly
every page uses.
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
    "api/profiles": "mindinsight.profiles.urls",
    "api/pipelines": "mindinsight.pipelines.urls",
    "api/incoming": "mindinsight.incoming.urls",
    # Must be last: it matches everything.
    "api/": "mindinsight.runs.urls",
}
"""The prefix of each app's addresses, and the module that defines them."""

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/token", views.token),
    path("api/schema/", views.schema, name="schema"),
    path("api/docs/", views.docs, name="docs"),
    # `include` returns this for a module, but imports the module at once.
    *(path(prefix, (module, None, None)) for prefix, module in APPS.items()),  # type: ignore[arg-type]
    path("v/<view:key>", views.follow_link),
    # `\Z` instead of `$`, which also matches before a final line break; `[\s\S]` instead of a dot, which does not match
    # one.
    re_path(r"^api(/[\s\S]*)?\Z", views.unknown_api),
    re_path(r"^(static|assets)/[\s\S]*\Z", views.unknown_file),
    re_path(r"^[^.]*\Z", views.page),
]
handler404 = views.unknown_file
