"""ETags: the same request against the same store gets the same tag, so its answer is sent once.

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
    """Returns a strong ETag for an answer that depends on these parts only."""
    return f'"{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}"'


def not_modified(request: Request, etag: str) -> HttpResponseBase | None:
    """Returns 304 if the client already has the answer with this tag, else None."""
    return get_conditional_response(request._request, etag=etag)


def with_etag(answer: Answer, etag: str, keep: str = REVALIDATE) -> Answer:
    """Returns an answer with its ETag.

    Args:
        answer: the answer.
        etag: its ETag.
        keep: how long caches may keep it, as a `Cache-Control` value.
    """
    answer["ETag"] = etag
    answer["Cache-Control"] = keep
    return answer
