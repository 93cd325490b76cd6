"""Orders of a web server to the workers: puts tasks into their queue by name.

Asked by views. The workers' own application (`mindinsight.config.celery`) would bring the whole reader of event files
with it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from celery import Celery
from django.conf import settings
from kombu.exceptions import OperationalError

from mindinsight.api.problems import Problem


def order(task: str, *arguments: object) -> None:
    """Asks for a task.

    Args:
        task: its name.
        *arguments: its arguments, as JSON can hold them.

    Raises:
        OperationalError: kombu's, where no broker answers.
    """
    _application(settings.ENVIRONMENT.redis_url).send_task(task, arguments, retry=False)


def order_or_refuse(task: str, *arguments: object, undo: Callable[[], object], refusal: str) -> None:
    """Asks for a task that somebody waits for.

    Args:
        task: its name.
        *arguments: its arguments, as JSON can hold them.
        undo: takes back what was written down for the task; called where nobody takes the order.
        refusal: the sentence that the asker gets then.

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
        # As in the worker's application: Celery spells a unix socket differently from redis-py.
        broker_url=redis_url.replace("unix://", "redis+socket://", 1),
        broker_transport_options={"global_keyprefix": "mindinsight:"},
        task_ignore_result=True,
    )
    return application
