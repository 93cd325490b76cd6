"""Addresses of the graphs app, below `/api/graphs/`."""

from django.urls import path

from mindinsight.graphs.api import SubstructureDetail, SubstructureList, TagList

urlpatterns = [
    path("tags", TagList.as_view()),
    path("substructures", SubstructureList.as_view()),
    path("substructure", SubstructureDetail.as_view()),
]
