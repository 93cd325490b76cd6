"""What goes wrong for a reason that a person should read, and the one shape in which the API says so.

Raised by views and by what they ask; tasks of the worker keep it with their results. Free of Django REST framework,
which the worker does without; `answers` makes an answer of it.
"""

from __future__ import annotations

from collections.abc import Mapping

Detail = Mapping[str, object]

COMBINATION, LANGUAGE = "combination", "language"
"""Kinds of rules that a schema cannot express: parts that have to fit each other, and texts in a language of their own.
The error of a parameter that breaks one names the kind as `rule`."""


class Problem(Exception):  # noqa: N818  (not always an error: what a person asked for is not there)
    """An error that is raised on purpose, for the client.

    Args:
        code: stable name, such as `run_not_found`.
        message: a sentence for the person who reads it.
        http_status: the HTTP status.
        **detail: what the sentence names.

    Attributes:
        body: the JSON object that is answered.
        status_code: the HTTP status.
    """

    def __init__(self, code: str, message: str, http_status: int = 400, **detail: object) -> None:
        super().__init__(message)
        self.status_code = http_status
        self.body = error_body(code, message, detail)


def error_body(code: str, message: str, detail: Detail | None = None) -> dict[str, object]:
    """Returns the JSON object of an error."""
    return {"code": code, "message": message, "detail": dict(detail or {})}
