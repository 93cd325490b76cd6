"""The views of `api.md`: list, create, rename, change and remove saved views, and follow short links."""

from __future__ import annotations

import time
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.parameters import read_body
from mindinsight.api.problems import Problem
from mindinsight.views.models import SavedView
from mindinsight.views.serializers import (
    NewViewSerializer,
    SavedViewListSerializer,
    SavedViewSerializer,
    ViewChangeSerializer,
)

MAX_VIEWS = 1000


class ViewList(APIView):
    """Saved views."""

    @extend_schema(operation_id="list_views", responses={200: SavedViewListSerializer})
    def get(self, request: Request) -> Response:
        """All saved views, sorted by name."""
        return Response({"views": [_row(view) for view in SavedView.objects.order_by("name")]})

    @extend_schema(
        operation_id="save_view",
        request=NewViewSerializer,
        responses={201: SavedViewSerializer, 400: ErrorSerializer, 409: ErrorSerializer},
    )
    def post(self, request: Request) -> Response:
        """Saves a view under a unique name."""
        asked = read_body(NewViewSerializer, request)
        if SavedView.objects.count() >= MAX_VIEWS:
            message = f"There are {MAX_VIEWS} views, which is the maximum. Remove some first."
            raise Problem("too_many_views", message, 409, limit=MAX_VIEWS)
        now = time.time()
        return Response(_row(_save(SavedView(**asked, created=now, changed=now))), status=201)


class ViewDetail(APIView):
    """One saved view."""

    @extend_schema(operation_id="show_view", responses={200: SavedViewSerializer, 404: ErrorSerializer})
    def get(self, request: Request, key: str) -> Response:
        """Returns the view."""
        return Response(_row(_find(key)))

    @extend_schema(
        operation_id="change_view",
        request=ViewChangeSerializer,
        responses={200: SavedViewSerializer, 400: ErrorSerializer, 404: ErrorSerializer, 409: ErrorSerializer},
    )
    def patch(self, request: Request, key: str) -> Response:
        """Renames the view or changes its address."""
        changes = read_body(ViewChangeSerializer, request)
        view = _find(key)
        for name, value in {**changes, "changed": time.time()}.items():
            setattr(view, name, value)
        return Response(_row(_save(view)))

    @extend_schema(operation_id="remove_view", responses={204: None, 404: ErrorSerializer})
    def delete(self, request: Request, key: str) -> Response:
        """Removes the view."""
        _find(key).delete()
        return Response(status=204)


def follow_link(request: HttpRequest, key: str) -> HttpResponse:
    """Redirects from a short link to the view's address. An unknown link leads to the page that says so."""
    view = SavedView.objects.filter(key=key).first()
    if view is None:
        return HttpResponseRedirect(f"{settings.ENVIRONMENT.prefix}/no-such-view/{key}")
    return HttpResponseRedirect(f"{settings.ENVIRONMENT.prefix}/{view.page}{'?' if view.query else ''}{view.query}")


def _find(key: str) -> SavedView:
    found = SavedView.objects.filter(key=key).first()
    if found is None:
        raise Problem("view_not_found", "There is no such view; it may have been removed.", 404, id=key)
    return found


def _save(view: SavedView) -> SavedView:
    """Returns the stored view."""
    try:
        with transaction.atomic():
            view.save()
    except IntegrityError:
        message = f"There is a view named {view.name} already. Choose another name."
        raise Problem("view_name_taken", message, 409, name=view.name) from None
    return view


def _row(view: SavedView) -> dict[str, Any]:
    return dict(SavedViewSerializer(view).data)
