"""The view of `api.md`, and the shapes of its parameters and answers."""

from __future__ import annotations

from dataclasses import asdict
from typing import IO, Any

from django.conf import settings
from rest_framework import serializers
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from mindinsight.api.answers import ErrorSerializer
from mindinsight.api.described import extend_schema
from mindinsight.api.fields import FlagField, TextField, WholeField
from mindinsight.api.parameters import read_parameters
from mindinsight.api.problems import Problem
from mindinsight.incoming import files
from mindinsight.transfer.errors import TransferError
from mindinsight.transfer.imports.run_names import check_run_name
from summaries.beneath import Beneath
from summaries.naming import parse_name

_LONGEST_NAME = 4096
_LONGEST_FILE = 255


class FileQuery(serializers.Serializer[Any]):
    """Which file."""

    run = TextField(max_length=_LONGEST_NAME, min_length=1, help_text="the run's name")
    file = TextField(max_length=_LONGEST_FILE, min_length=1, help_text="name of an event file, without a directory")


class AppendQuery(FileQuery):
    """Which file, and where the bytes go."""

    offset = WholeField(help_text="offset of the bytes, at most the file's size")
    closed = FlagField(required=False, default=False, help_text="whether the file ends behind these bytes")


class HeldSerializer(serializers.Serializer[Any]):
    """What is there of a file."""

    size = serializers.IntegerField(help_text="number of bytes, 0 if there is no file")
    head = serializers.IntegerField(help_text="CRC-32 of the first 4,096 bytes")
    closed = serializers.BooleanField(help_text="whether the file is complete")


class BytesParser(BaseParser):
    """Takes the body as it is."""

    media_type = "application/octet-stream"

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        """Returns the body. The gate has limited its size."""
        return stream.read()


class IncomingFile(APIView):
    """An event file that is written over the network."""

    parser_classes = (BytesParser,)

    @extend_schema(
        operation_id="get_incoming_file",
        parameters=[FileQuery],
        responses={200: HeldSerializer, 400: ErrorSerializer, 409: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        """How much of the file is there."""
        return Response(asdict(files.held(_place(read_parameters(FileQuery, request)))))

    @extend_schema(
        operation_id="append_to_incoming_file",
        parameters=[AppendQuery],
        request={"application/octet-stream": bytes},
        responses={200: HeldSerializer, 409: ErrorSerializer},
    )
    def post(self, request: Request) -> Response:
        """Writes the body into the file, which is created if it is missing."""
        asked = read_parameters(AppendQuery, request)
        body: Any = request.data
        # Without a body, Django REST framework gives an empty form.
        data = body if isinstance(body, bytes) else b""
        found = files.append(_place(asked), asked["offset"], data, closed=asked["closed"])
        return Response(asdict(found))


def _place(asked: dict[str, Any]) -> Beneath:
    run, file = asked["run"], asked["file"]
    try:
        check_run_name(run)
    except TransferError as error:
        raise _wrong("run", str(error)) from None
    if "/" in file or file.startswith(".") or parse_name(file) is None or len(file.encode()) > _LONGEST_FILE:
        raise _wrong("file", f"{file[:80]!r} is not the name of an event file")
    return Beneath(settings.ENVIRONMENT.base_directory, f"{run}/{file}")


def _wrong(parameter: str, reason: str) -> Problem:
    message = f"The parameter '{parameter}' is wrong: {reason}"
    return Problem("bad_parameter", message, parameter=parameter, reason=reason)
