"""Addresses of the text app, below `/api/text/`."""

from django.urls import path

from mindinsight.text.api import StepList, TagList, TextList, TextSearch

urlpatterns = [
    path("tags", TagList.as_view()),
    path("steps", StepList.as_view()),
    path("list", TextList.as_view()),
    path("search", TextSearch.as_view()),
]
