"""Sends tasks from a web server to the worker's queue, by name.

Used by views. The worker's own application (`mindinsight.config.celery`) would also import the reader of event files.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from celery import Celery
from django.conf import settings
from kombu.exceptions import OperationalError

from mindinsight.api.problems import Problem


def order(task: str, *arguments: object) -> None:
    """Puts a task into the queue.

    Args:
        task: the task's name.
        *arguments: the task's arguments, as JSON values.

    Raises:
        OperationalError: kombu's error if no broker answers.
    """
    _application(settings.ENVIRONMENT.redis_url).send_task(task, arguments, retry=False)


def order_or_refuse(task: str, *arguments: object, undo: Callable[[], object], refusal: str) -> None:
    """Puts a task that a user waits for into the queue.

    Args:
        task: the task's name.
        *arguments: the task's arguments, as JSON values.
        undo: reverts what was stored for the task. Called if the task cannot be queued.
        refusal: message of the error in that case.

    Raises:
        Problem: `broker_down`.
    """
    try:
        order(task, *arguments)
    except OperationalError as error:
        undo()
        raise Problem("broker_down", refusal, 503) from error


@functools.cache
def _application(redis_url: str) -> Celery:
    application = Celery("mindinsight", set_as_current=False)
    application.conf.update(
        # As in the worker's application: Celery writes the address of a Unix socket differently from redis-py.
        broker_url=redis_url.replace("unix://", "redis+socket://", 1),
        broker_transport_options={"global_keyprefix": "mindinsight:"},
        task_ignore_result=True,
    )
    return application
