"""Entity tags (ETag): the same request against the same store gets the same tag, and is answered once.

Used by the views of all apps that show recorded values.
"""

from __future__ import annotations

import hashlib
from typing import TypeVar

from django.http import HttpResponseBase
from django.utils.cache import get_conditional_response
from rest_framework.request import Request

Answer = TypeVar("Answer", bound=HttpResponseBase)

REVALIDATE = "private, no-cache"
IMMUTABLE = "private, max-age=31536000, immutable"


def entity_tag(*parts: object) -> str:
    """Returns a strong ETag of an answer that follows from these parts alone."""
    return f'"{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}"'


def not_modified(request: Request, etag: str) -> HttpResponseBase | None:
    """Returns 304 if the client has the answer with this tag; else None."""
    return get_conditional_response(request._request, etag=etag)


def with_etag(answer: Answer, etag: str, keep: str = REVALIDATE) -> Answer:
    """Returns an answer with its entity tag.

    Args:
        answer: the answer.
        etag: its tag.
        keep: how long caches may keep it, as `Cache-Control`.
    """
    answer["ETag"] = etag
    answer["Cache-Control"] = keep
    return answer
