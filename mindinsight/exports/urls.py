"""Addresses of exports, below `/api/exports`."""

from django.urls import path, re_path

from mindinsight.exports.api import ExportDetail, ExportFile, ExportList

urlpatterns = [
    path("", ExportList.as_view()),
    re_path(r"^/(?P<uid>[0-9a-f]{32})$", ExportDetail.as_view()),
    re_path(r"^/(?P<uid>[0-9a-f]{32})/file$", ExportFile.as_view()),
]
