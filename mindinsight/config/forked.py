"""The common parent of worker and web server: imports their shared modules once and forks both, so they share memory.

Run by the supervisor (`mindinsight.supervisor.children.stem`): `python -m mindinsight.config.forked ORDER`.
"""

from __future__ import annotations

import gc
import importlib
import sys

from mindinsight.config.django_setup import set_up
from mindinsight.config.lean import import_channel_layer
from mindinsight.supervisor.children.forking import Order, fork_all

# The modules that the reader needs to begin. The web server needs nearly all of them too. Importing more here would
# delay the reader, which reads event files on one core while the web server imports on the other.
SHARED = (
    "click",
    "mindinsight.ingest.follower",
)


def main(order: str) -> None:
    """Imports, migrates, forks and ends. In a forked process it returns when that process's module has ended.

    Args:
        order: what to fork, in the supervisor's form.

    Raises:
        SystemExit: a library has started threads.
        django.db.Error: the database cannot be used.
    """
    # The children would fill the free memory that a garbage collection leaves, page by page.
    gc.disable()
    set_up()
    from mindinsight.database.migrating import migrate_before_forking

    import_channel_layer()
    for module in SHARED:
        importlib.import_module(module)
    migrate_before_forking()
    fork_all(Order.read(order))


if __name__ == "__main__":
    main(sys.argv[1])
