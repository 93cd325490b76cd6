"""Addresses of saved views, below `/api/views`; short links are below `/v/`."""

from django.urls import path

from mindinsight.views.api import ViewDetail, ViewList

urlpatterns = [
    path("", ViewList.as_view()),
    path("/<view:key>", ViewDetail.as_view()),
]
