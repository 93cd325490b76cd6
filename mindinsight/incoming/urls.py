"""The address of incoming files, below `/api/incoming`."""

from django.urls import path

from mindinsight.incoming.views import IncomingFile

urlpatterns = [path("", IncomingFile.as_view())]
