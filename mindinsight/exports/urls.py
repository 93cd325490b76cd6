"""Addresses of exports, below `/api/exports`."""

from django.urls import path

from mindinsight.exports.api import ExportDetail, ExportFile, ExportList

urlpatterns = [
    path("", ExportList.as_view()),
    path("/<id:uid>", ExportDetail.as_view()),
    path("/<id:uid>/file", ExportFile.as_view()),
]
