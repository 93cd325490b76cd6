"""Entity tags of answers: the same question about the same store has the same answer.

Used by the views of all apps that show recorded values.
"""

from __future__ import annotations

from typing import TypeVar

from django.http import HttpResponseBase
from django.utils.cache import get_conditional_response
from rest_framework.request import Request

Answer = TypeVar("Answer", bound=HttpResponseBase)

MAY_CHANGE = "private, no-cache"
FOR_EVER = "private, max-age=31536000, immutable"


def unchanged(request: Request, etag: str) -> HttpResponseBase | None:
    """Returns the answer 304 to somebody who has this answer already."""
    return get_conditional_response(request._request, etag=etag)


def labelled(answer: Answer, etag: str, keep: str = MAY_CHANGE) -> Answer:
    """Returns an answer with its entity tag."""
    answer["ETag"] = etag
    answer["Cache-Control"] = keep
    return answer
