"""The API's answers: JSON written by orjson, and one shape for all errors.

Django REST framework's settings name this module for all views. The gate uses it for its own refusals.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import IO, Any

import orjson
from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.http import Http404
from rest_framework import exceptions, serializers, status
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from mindinsight.api.problems import Problem, error_body
from mindinsight.disks import Condition, DiskTrouble, trouble_in

# Spelled out, because a test of the pages looks for a text for each code.
_DISK_CODES: dict[Condition, str] = {"full": "disk_full", "read_only": "disk_read_only", "failing": "disk_failing"}

logger = logging.getLogger(__name__)


class OrjsonRenderer(BaseRenderer):
    """Renders an answer with orjson, which is several times faster than the standard library and knows numpy."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        """Returns `data` as UTF-8 JSON, or an empty body if there is no content."""
        if data is None:
            return b""
        return orjson.dumps(data, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS)


class OrjsonParser(BaseParser):
    """Parses a body strictly by RFC 8259: UTF-8, no NaN, no lone surrogates, limited nesting."""

    media_type = "application/json"

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Returns the parsed body.

        Raises:
            ParseError: the body is not JSON.
        """
        try:
            return orjson.loads(stream.read())
        except orjson.JSONDecodeError as error:
            raise exceptions.ParseError(f"The body is not JSON: {error}.") from None


class OneRenderer(BaseContentNegotiation):
    """The API answers in one format only, whatever a client says it accepts."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        """Returns the only parser, or None if the body declares another type."""
        parser = next(iter(parsers))
        kind = request.content_type.partition(";")[0].strip().lower()
        return parser if kind in ("", parser.media_type) else None

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """Returns the only renderer."""
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


class ErrorSerializer(serializers.Serializer[Any]):
    """The shape of every error, for the schema."""

    code = serializers.CharField(help_text="Stable name of the error. Pages translate it.")
    message = serializers.CharField(help_text="What happened and what to do, in English.")
    detail = serializers.DictField(help_text="The values that the sentence mentions.")


def answer_error(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """The exception handler of Django REST framework: gives every error the same shape.

    A full disk is handled only here: a write error in any view becomes status 507.
    """
    if isinstance(error, Problem):
        return Response(error.body, status=error.status_code)
    if isinstance(error, SuspiciousOperation):
        return Response(error_body("bad_request", f"The request cannot be read: {error}"), status=400)
    if isinstance(error, Http404):
        return Response(error_body("not_found", "There is nothing at this address."), status=404)
    if isinstance(error, exceptions.APIException):
        code = error.default_code if isinstance(error.detail, (dict, list)) else str(error.detail.code)
        detail = {"errors": error.detail} if isinstance(error.detail, (dict, list)) else {}
        return Response(error_body(code, str(error), detail), status=error.status_code)
    trouble = trouble_in(error, settings.ENVIRONMENT.database_directory)
    if trouble is not None:
        logger.warning(
            "A request to %s failed because of a disk. %s",
            getattr(context.get("request"), "path", "?"),
            trouble.message,
        )
        return _answer_disk(trouble)
    logger.exception("A request to %s failed", getattr(context.get("request"), "path", "?"))
    return Response(
        error_body("server_error", "The dashboard failed to answer; its log (web.log) has the reason."),
        status=status.HTTP_500_INTERNAL_SERVER_ERROR,
    )


def _answer_disk(trouble: DiskTrouble) -> Response:
    body = error_body(_DISK_CODES[trouble.condition], trouble.message, trouble.as_json())
    return Response(body, status=status.HTTP_507_INSUFFICIENT_STORAGE)
