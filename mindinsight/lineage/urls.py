"""Addresses of the lineage app, below `/api/lineage/`."""

from django.urls import path

from mindinsight.lineage.table_api import LineageTableView

urlpatterns = [
    path("table", LineageTableView.as_view()),
]
