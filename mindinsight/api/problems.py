"""Errors that a person should read, in the one shape that the API uses.

Raised by views and the code that they call. The worker's tasks store it with their results. It does not need Django
REST framework, which the worker does not import. `answers` turns it into an answer.
"""

from __future__ import annotations

from collections.abc import Mapping

Detail = Mapping[str, object]

COMBINATION, LANGUAGE = "combination", "language"
"""Rules that a schema cannot express: parts that must fit together, and texts in a language of their own.

An error about a parameter that breaks such a rule names it as `rule`.
"""


class Problem(Exception):  # noqa: N818  (not always an error: what a person asked for is not there)
    """An error for the client.

    Args:
        code: stable name, such as `run_not_found`.
        message: a sentence for the person who reads it.
        http_status: the HTTP status.
        **detail: the values that the sentence mentions.

    Attributes:
        body: the JSON object of the answer.
        status_code: the HTTP status.
    """

    def __init__(self, code: str, message: str, http_status: int = 400, **detail: object) -> None:
        super().__init__(message)
        self.status_code = http_status
        self.body = error_body(code, message, detail)


def error_body(code: str, message: str, detail: Detail | None = None) -> dict[str, object]:
    """Returns the JSON object of an error."""
    return {"code": code, "message": message, "detail": dict(detail or {})}
