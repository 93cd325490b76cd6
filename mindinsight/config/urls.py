"""All addresses: the API, its schema and its interactive page, and the page for everything else."""

from django.urls import URLPattern, URLResolver, include, path, re_path

from mindinsight.config import views
from mindinsight.views.api import follow_link

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/token", views.token),
    path("api/schema/", views.schema, name="schema"),
    path("api/docs/", views.docs, name="docs"),
    path("api/", include("mindinsight.runs.urls")),
    path("api/scalars/", include("mindinsight.scalars.urls")),
    path("api/distributions/", include("mindinsight.distributions.urls")),
    path("api/images/", include("mindinsight.images.urls")),
    path("api/tensors/", include("mindinsight.tensors.urls")),
    path("api/text/", include("mindinsight.text.urls")),
    path("api/graphs/", include("mindinsight.graphs.urls")),
    path("api/views", include("mindinsight.views.urls")),
    path("api/exports", include("mindinsight.exports.urls")),
    re_path(r"^v/(?P<key>[0-9a-z]{8})$", follow_link),
    re_path(r"^api(/.*)?$", views.unknown_api),
    re_path(r"^(static|assets)/.*$", views.unknown_file),
    re_path(r"^[^.]*$", views.page),
]
handler404 = views.unknown_file
