"""Addresses of the scalars app, below `/api/scalars/`."""

from django.urls import path

from mindinsight.scalars.api import BucketsView, CountsView, ExportView, PointsView, RawView, TagList
from mindinsight.scalars.groups.api import DensityView, Groupings, GroupsView
from mindinsight.scalars.layouts import Layouts
from mindinsight.scalars.tag_columns import TagColumns

urlpatterns = [
    path("tags", TagList.as_view()),
    path("points", PointsView.as_view()),
    path("buckets", BucketsView.as_view()),
    path("counts", CountsView.as_view()),
    path("export", ExportView.as_view()),
    path("raw", RawView.as_view()),
    path("layouts", Layouts.as_view()),
    path("series", TagColumns.as_view()),
    path("groups", GroupsView.as_view()),
    path("groupings", Groupings.as_view()),
    path("density", DensityView.as_view()),
]
