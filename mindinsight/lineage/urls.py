"""Addresses of the lineage app, below `/api/lineage/`."""

from django.urls import path

from mindinsight.lineage.api.compare import Compare
from mindinsight.lineage.api.filter import Filter
from mindinsight.lineage.api.importance import GapView, ImportanceView
from mindinsight.lineage.api.pipelines import PipelinesView
from mindinsight.lineage.api.table import LineageTableView

urlpatterns = [
    path("pipelines", PipelinesView.as_view()),
    path("table", LineageTableView.as_view()),
    path("importance", ImportanceView.as_view()),
    path("gap", GapView.as_view()),
    path("compare", Compare.as_view()),
    path("filter", Filter.as_view()),
]
