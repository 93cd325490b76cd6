"""Addresses of profiles, below `/api/profiles`."""

from django.urls import path

from mindinsight.profiles import api, findings

urlpatterns = [
    path("", api.ProfileList.as_view()),
    path("/<id:uid>", api.ProfileDetail.as_view()),
    path("/<id:uid>/slices", api.Slices.as_view()),
    path("/<id:uid>/sums", api.Sums.as_view()),
    path("/<id:uid>/slice", api.SliceDetail.as_view()),
    path("/<id:uid>/find", api.Find.as_view()),
    path("/<id:uid>/counter", api.CounterPoints.as_view()),
    path("/<id:uid>/file", api.ProfileFile.as_view()),
    path("/<id:uid>/overview", findings.Overview.as_view()),
    path("/<id:uid>/flame", findings.Flame.as_view()),
    path("/<id:uid>/memory", findings.Memory.as_view()),
    path("/ranks", findings.Ranks.as_view()),
]
