"""The table of saved views. Written and read by `api.py`."""

from __future__ import annotations

import secrets

from django.db import models

KEY_LENGTH = 8
# No vowels and no look-alikes: keys are read aloud and typed, and should not spell words.
_LETTERS = "23456789bcdfghjkmnpqrstvwxz"


def new_key() -> str:
    """Returns the key of a short link. There are 27 ** 8 keys, so a collision is very unlikely."""
    return "".join(secrets.choice(_LETTERS) for _ in range(KEY_LENGTH))


class SavedView(models.Model):
    """A page and the query string of its address.

    Attributes:
        created: seconds since 1970.
        changed: seconds since 1970.
    """

    key = models.CharField(max_length=KEY_LENGTH, unique=True, default=new_key, editable=False)
    name = models.CharField(max_length=120, unique=True)
    page = models.CharField(max_length=32, help_text="first part of the page's address, such as scalars")
    query = models.TextField(default="", blank=True, help_text="the query string, without its question mark")
    created = models.FloatField(default=0.0)
    changed = models.FloatField(default=0.0)

    def __str__(self) -> str:
        return self.name
