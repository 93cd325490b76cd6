"""Addresses of the runs app, below `/api/`."""

from django.urls import path

from mindinsight.runs.api.details import RunDetailsList
from mindinsight.runs.api.edits import LiveEditList
from mindinsight.runs.api.marks import ManyRunMarks, RunMarksView
from mindinsight.runs.api.order import RunOrder, RunValues, TellingColumns
from mindinsight.runs.api.runs import RunDetail, RunList, RunRestore, Status
from mindinsight.runs.api.search import SearchNames, SimilarNames
from mindinsight.runs.api.trash import Trash, TrashPurge, TrashRestore

urlpatterns = [
    path("runs", RunList.as_view()),
    path("runs/marks", ManyRunMarks.as_view()),
    path("runs/search/names", SearchNames.as_view()),
    path("runs/search/similar", SimilarNames.as_view()),
    path("runs/order", RunOrder.as_view()),
    path("runs/telling", TellingColumns.as_view()),
    path("runs/values", RunValues.as_view()),
    path("runs/trash", Trash.as_view()),
    path("runs/trash/restore", TrashRestore.as_view()),
    path("runs/trash/purge", TrashPurge.as_view()),
    path("runs/details", RunDetailsList.as_view()),
    path("runs/edits", LiveEditList.as_view()),
    path("runs/<id:uid>", RunDetail.as_view()),
    path("runs/<id:uid>/marks", RunMarksView.as_view()),
    path("runs/<id:uid>/restore", RunRestore.as_view()),
    path("status", Status.as_view()),
]
