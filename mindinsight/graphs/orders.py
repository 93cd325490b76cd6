"""Puts searches into the worker's queue from a web server, which knows the broker and nothing of the worker.

The worker's own application (`mindinsight.config.celery`) would bring the whole reader of event files with it.
"""

from __future__ import annotations

import functools

from celery import Celery
from django.conf import settings


def order_analysis(number: int) -> None:
    """Asks for the search of an analysis.

    Args:
        number: number of its row.

    Raises:
        OperationalError: kombu's, where no broker answers.
    """
    _application(settings.ENVIRONMENT.redis_url).send_task("graphs.analyse", (number,), retry=False)


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
