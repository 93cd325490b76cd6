"""Addresses of the distributions app, below `/api/distributions/`."""

from django.urls import path

from mindinsight.distributions.api import HistogramList, HistogramView, MeasureList, TagList

urlpatterns = [
    path("tags", TagList.as_view()),
    path("view", HistogramView.as_view()),
    path("measures", MeasureList.as_view()),
    path("histograms", HistogramList.as_view()),
]
