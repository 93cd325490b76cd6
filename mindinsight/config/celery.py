"""Celery for tasks of limited size and, in the same process, the reader of event files.

`worker.py` runs it for the supervisor. To use Celery's options, start the same worker with
`celery -A mindinsight.config.celery worker -P threads -c 2`.
"""

from __future__ import annotations

import os
from typing import Any

from mindinsight.config.django_setup import set_up
from mindinsight.config.lean import import_celery

# Celery would run Django's checks, which import every view. The web server and `make lint` run them already.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")
set_up()
import_celery()

from celery import Celery, bootsteps  # noqa: E402  (imported with what it probes for hidden)
from django.conf import settings  # noqa: E402  (settings exist only after setup)

from mindinsight.ingest.reader_thread import reader_of_this_process  # noqa: E402


def _broker_url(redis_url: str) -> str:
    """Celery writes the address of a Unix socket differently from redis-py."""
    return redis_url.replace("unix://", "redis+socket://", 1)


application = Celery("mindinsight")
application.conf.update(
    broker_url=_broker_url(settings.ENVIRONMENT.redis_url),
    broker_connection_retry_on_startup=True,
    broker_transport_options={"global_keyprefix": "mindinsight:"},
    task_ignore_result=True,
    accept_content=["json"],
    task_serializer="json",
    result_serializer="json",
    timezone="UTC",
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
    task_acks_late=True,
    worker_prefetch_multiplier=1,
    imports=[f"mindinsight.{app}.tasks" for app in ("runs", "ingest", "graphs", "exports", "lineage", "profiles")],
)


class ReaderStep(bootsteps.StartStopStep):
    """Starts and stops the reader together with the worker. The reader works without a broker."""

    def start(self, parent: Any) -> None:
        """Called by Celery when the worker starts."""
        reader_of_this_process().start()

    def stop(self, parent: Any) -> None:
        """Called by Celery when the worker stops."""
        reader_of_this_process().stop()


application.steps["worker"].add(ReaderStep)
