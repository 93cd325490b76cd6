"""Addresses of the images app, below `/api/images/`."""

from django.urls import path

from mindinsight.images.api import ImageFile, ImageList
from mindinsight.runs.api.recorded import step_list, tag_list
from summaries.kinds import Kind

urlpatterns = [
    path("tags", tag_list(Kind.IMAGE).as_view()),
    path("steps", step_list(Kind.IMAGE).as_view()),
    path("list", ImageList.as_view()),
    path("file", ImageFile.as_view()),
]
