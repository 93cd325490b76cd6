"""Addresses of the runs app, below `/api/`."""

from django.urls import path

from mindinsight.runs.api import RunDetail, RunList, RunRestore, Status
from mindinsight.runs.details_api import RunDetailsList
from mindinsight.runs.edits_api import LiveEditList
from mindinsight.runs.marks_api import ManyRunMarks, RunMarksView
from mindinsight.runs.order_api import RunOrder, RunValues
from mindinsight.runs.search_api import SearchNames
from mindinsight.runs.trash_api import Trash, TrashPurge, TrashRestore

urlpatterns = [
    path("runs", RunList.as_view()),
    path("runs/marks", ManyRunMarks.as_view()),
    path("runs/search/names", SearchNames.as_view()),
    path("runs/order", RunOrder.as_view()),
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
