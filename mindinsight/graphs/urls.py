"""Addresses of the graphs app, below `/api/graphs/`."""

from django.urls import path

from mindinsight.graphs.api import SubstructureDetail, SubstructureList, TagList
from mindinsight.graphs.scene_api import Inside

urlpatterns = [
    path("tags", TagList.as_view()),
    path("substructures", SubstructureList.as_view()),
    path("substructure", SubstructureDetail.as_view()),
    path("inside", Inside.as_view()),
]
