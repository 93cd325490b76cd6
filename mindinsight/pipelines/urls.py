"""Addresses of data pipelines, below `/api/pipelines`."""

from django.urls import path

from mindinsight.pipelines import views

urlpatterns = [
    path("", views.PipelineList.as_view()),
    path("/files", views.PipelineFiles.as_view()),
    path("/show", views.PipelineDetail.as_view()),
]
