"""Runs the worker: the reader first, Celery beside it.

Run by the supervisor: `python -m mindinsight.config.worker`. Celery's own command line would cost a third of a
second and seven megabytes of imports.
"""

from __future__ import annotations

import sys
import time

from mindinsight.config.django_setup import set_up

_SWITCH_S = 0.0005
# Nobody needs Celery at first, and its import would delay the reader by half a second.
_HEAD_START_S = 4.0
# Pages request data as soon as it has been read. The import would take a core from the threads that answer.
_ANSWERS_FIRST_S = 0.5


def main() -> int:
    """Runs until it is stopped. Returns the exit status."""
    set_up()
    from mindinsight.database.damage import end_when_damaged
    from mindinsight.ingest.reader_thread import reader_of_this_process

    # The reader releases the GIL at every read and write. A busy thread would then hold it for five milliseconds each
    # time.
    sys.setswitchinterval(_SWITCH_S)
    end_when_damaged(check=True)
    reader = reader_of_this_process()
    reader.start()
    if reader.wait_until_caught_up(_HEAD_START_S):
        time.sleep(_ANSWERS_FIRST_S)
    from mindinsight.config.celery import application

    worker = application.Worker(
        pool="threads", concurrency=2, without_gossip=True, without_mingle=True, quiet=True, loglevel="WARNING"
    )
    worker.start()
    return int(worker.exitcode or 0)


if __name__ == "__main__":
    raise SystemExit(main())
