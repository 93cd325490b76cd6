"""Addresses of saved views, below `/api/views`; short links stand beside the pages, below `/v/`."""

from django.urls import path, re_path

from mindinsight.views.api import ViewDetail, ViewList

urlpatterns = [
    path("", ViewList.as_view()),
    re_path(r"^/(?P<key>[0-9a-z]{8})$", ViewDetail.as_view()),
]
