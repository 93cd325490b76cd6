"""Addresses of the graphs app, below `/api/graphs/`."""

from django.urls import path

from mindinsight.graphs.api import changes as changes_api
from mindinsight.graphs.api import scene as scene_api
from mindinsight.graphs.api import sources as sources_api
from mindinsight.graphs.api.substructures import SubstructureDetail, SubstructureList, TagList

urlpatterns = [
    path("tags", TagList.as_view()),
    path("substructures", SubstructureList.as_view()),
    path("substructure", SubstructureDetail.as_view()),
    path("inside", scene_api.Inside.as_view()),
    path("node", scene_api.NodeDetail.as_view()),
    path("box", scene_api.NodeBox.as_view()),
    path("places", scene_api.NodePlaces.as_view()),
    path("outline", scene_api.Outline.as_view()),
    path("search", scene_api.Search.as_view()),
    path("trace", scene_api.Trace.as_view()),
    path("path", scene_api.Way.as_view()),
    path("instances", scene_api.Instances.as_view()),
    path("overlay", scene_api.Overlay.as_view()),
    path("sources", sources_api.GraphSources.as_view()),
    path("changes", changes_api.Changes.as_view()),
    path("changed-edges", changes_api.ChangedEdges.as_view()),
]
