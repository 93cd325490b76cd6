"""Addresses of the tensors app, below `/api/tensors/`."""

from django.urls import path

from mindinsight.tensors.api import HeadList, StepList, TagList
from mindinsight.tensors.views import DifferenceView, FileView, FindView, StatisticsView, TileView

urlpatterns = [
    path("tags", TagList.as_view()),
    path("steps", StepList.as_view()),
    path("heads", HeadList.as_view()),
    path("statistics", StatisticsView.as_view()),
    path("tile", TileView.as_view()),
    path("find", FindView.as_view()),
    path("difference", DifferenceView.as_view()),
    path("file", FileView.as_view()),
]
