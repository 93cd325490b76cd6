"""Addresses of the tensors app, below `/api/tensors/`."""

from django.urls import path

from mindinsight.runs.api.recorded import step_list, tag_list
from mindinsight.tensors.api import HeadList
from mindinsight.tensors.views import DifferenceView, FileView, FindView, StatisticsView, TileView
from summaries.kinds import Kind

urlpatterns = [
    path("tags", tag_list(Kind.TENSOR).as_view()),
    path("steps", step_list(Kind.TENSOR).as_view()),
    path("heads", HeadList.as_view()),
    path("statistics", StatisticsView.as_view()),
    path("tile", TileView.as_view()),
    path("find", FindView.as_view()),
    path("difference", DifferenceView.as_view()),
    path("file", FileView.as_view()),
]
