"""Addresses of the distributions app, below `/api/distributions/`."""

from django.urls import path

from mindinsight.distributions.api import HistogramList, HistogramView, MeasureList
from mindinsight.runs.api.recorded import tag_list
from summaries.kinds import Kind

urlpatterns = [
    path("tags", tag_list(Kind.HISTOGRAM).as_view()),
    path("view", HistogramView.as_view()),
    path("measures", MeasureList.as_view()),
    path("histograms", HistogramList.as_view()),
]
