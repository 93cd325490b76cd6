"""The Celery task of profiles: reads a trace and stores it as columns, once."""

from __future__ import annotations

import logging
import os
import time

from celery import shared_task
from django.conf import settings

from mindinsight.api.problems import Problem, error_body
from mindinsight.profiles.models import Profile

logger = logging.getLogger(__name__)

_REPORT_EVERY_S = 0.2


@shared_task(name="profiles.read")
def read(uid: str) -> None:
    """Reads a trace.

    Args:
        uid: the profile. Nothing happens if it does not exist, is done, or another worker reads it.
    """
    from mindinsight.profiles.readings import reading_lock

    waiting = (Profile.State.WAITING, Profile.State.READING)
    profile = Profile.objects.filter(uid=uid, state__in=waiting).first()
    if profile is None:
        return
    lock = reading_lock(profile)
    if not lock.acquire():
        return
    try:
        _read(profile)
    except Problem as problem:
        _tell(profile, state=Profile.State.FAILED, problem=problem.body)
    except Exception as error:
        # Any error must reach the waiting user. The log has the details.
        logger.exception("The trace %s cannot be read", profile.path)
        message = f"{profile.path} cannot be read: {error}"
        _tell(profile, state=Profile.State.FAILED, problem=error_body("trace_failed", message, {"reason": str(error)}))
    else:
        _tell(profile, state=Profile.State.DONE, progress=1.0, problem=None)
    finally:
        lock.release()


def _read(profile: Profile) -> None:
    # Imported by the first profile, to save memory in workers that never read one.
    from mindinsight.graphs.atomic_directories import appearing
    from mindinsight.profiles.columns.making import make_columns
    from mindinsight.profiles.found import file_of
    from mindinsight.profiles.reading.events import TraceError
    from mindinsight.profiles.readings import columns_of, forget_older

    _tell(profile, state=Profile.State.READING, progress=0.0)
    reported = time.monotonic()

    def progress(position: int) -> None:
        nonlocal reported
        if time.monotonic() - reported > _REPORT_EVERY_S:
            reported = time.monotonic()
            _tell(profile, progress=min(0.95, 0.95 * position / max(1, profile.size)))

    try:
        descriptor = file_of(settings.ENVIRONMENT.base_directory, profile.path).open()
    except OSError as error:
        message = f"{profile.path} cannot be opened: {error.strerror}."
        raise Problem("file_gone", message, 404, file=profile.path) from error
    with os.fdopen(descriptor, "rb") as file, appearing(columns_of(profile), replace=True) as directory:
        try:
            make_columns(file, directory, progress)
        except TraceError as error:
            raise Problem("not_a_trace", f"{profile.path}: {error}", 422, file=profile.path) from error
    forget_older(profile)


def _tell(profile: Profile, **fields: object) -> None:
    Profile.objects.filter(pk=profile.pk).update(changed=time.time(), **fields)
