"""Orders the reading of traces, and knows where their columns are. Called by the views and by the task."""

from __future__ import annotations

import hashlib
import shutil
import time
from pathlib import Path

from django.conf import settings

from mindinsight.profiles.columns.stored import HEAD, VERSION
from mindinsight.profiles.found import Found
from mindinsight.profiles.models import Profile
from mindinsight.store import WriterLock

OVERDUE_S = 15.0
"""Seconds without news after which reading is ordered again: its worker may have been killed."""


def folder() -> Path:
    """Returns the directory of all profiles' columns."""
    directory: Path = settings.ENVIRONMENT.data_directory / "profiles"
    return directory


def content_of(profile: Profile) -> str:
    """Returns a hash that changes with the file and with the version of the columns."""
    text = f"{VERSION} {profile.size} {profile.modified} {profile.inode}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def columns_of(profile: Profile) -> Path:
    """Returns the directory of a profile's columns."""
    return folder() / f"{profile.uid}-{content_of(profile)}"


def forget_older(profile: Profile) -> None:
    """Removes the columns of other contents of the same file."""
    for directory in folder().glob(f"{profile.uid}-*"):
        if directory != columns_of(profile):
            shutil.rmtree(directory, ignore_errors=True)


def reading_lock(profile: Profile) -> WriterLock:
    """Returns the lock that a worker holds while it reads. The system releases it when the worker is killed."""
    return WriterLock(folder() / f".{profile.uid}-lock")


def profile_of(found: Found) -> Profile:
    """Returns the row of a trace. It is to be read again if the file has changed.

    Args:
        found: the file.
    """
    profile, _ = Profile.objects.get_or_create(uid=found.uid, defaults={"path": found.path})
    if (profile.size, profile.modified, profile.inode) != (found.size, found.modified, found.inode):
        profile.size, profile.modified, profile.inode = found.size, found.modified, found.inode
        profile.state, profile.problem, profile.progress = Profile.State.FOUND, None, 0.0
        profile.save()
    return profile


def order_reading(profile: Profile) -> None:
    """Orders the reading of a trace, unless its columns exist or a worker is at it.

    Raises:
        Problem: `broker_down`.
    """
    now = time.time()
    if profile.state == Profile.State.FAILED:
        return
    if profile.state == Profile.State.DONE and (columns_of(profile) / HEAD).exists():
        return
    if profile.state in (Profile.State.WAITING, Profile.State.READING) and (
        now - profile.changed < OVERDUE_S or reading_lock(profile).held_by_somebody()
    ):
        return
    from mindinsight.api.task_queue import order_or_refuse

    profile.state, profile.progress, profile.changed = Profile.State.WAITING, 0.0, now
    profile.save()

    def undo() -> None:
        profile.state = Profile.State.FOUND
        profile.save()

    refusal = "The trace cannot be read now: the broker (Redis) does not answer. Try again in a moment."
    order_or_refuse("profiles.read", profile.uid, undo=undo, refusal=refusal)
