"""Addresses of the lineage app, below `/api/lineage/`."""

from django.urls import path

from mindinsight.lineage.compare_api import Compare
from mindinsight.lineage.filter_api import Filter
from mindinsight.lineage.importance_api import GapView, ImportanceView
from mindinsight.lineage.pipelines_api import PipelinesView
from mindinsight.lineage.table_api import LineageTableView

urlpatterns = [
    path("pipelines", PipelinesView.as_view()),
    path("table", LineageTableView.as_view()),
    path("importance", ImportanceView.as_view()),
    path("gap", GapView.as_view()),
    path("compare", Compare.as_view()),
    path("filter", Filter.as_view()),
]
