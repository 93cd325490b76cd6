"""Addresses of the text app, below `/api/text/`."""

from django.urls import path

from mindinsight.runs.api.recorded import step_list, tag_list
from mindinsight.text.api import TextList, TextSearch
from summaries.kinds import Kind

urlpatterns = [
    path("tags", tag_list(Kind.TEXT).as_view()),
    path("steps", step_list(Kind.TEXT).as_view()),
    path("list", TextList.as_view()),
    path("search", TextSearch.as_view()),
]
