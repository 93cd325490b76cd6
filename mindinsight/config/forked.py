"""The stem: imports the modules that worker and web server share, once, and forks both, so that they share memory.

Run by the supervisor (`mindinsight.supervisor.children.stem`): `python -m mindinsight.config.forked ORDER`.
"""

from __future__ import annotations

import gc
import importlib
import sys

from mindinsight.config.django_setup import set_up
from mindinsight.config.lean import import_channel_layer
from mindinsight.supervisor.children.forking import Order, fork_all

# What the reader needs to begin; the web server needs nearly all of it too. Anything else that both import would delay
# the reader: it reads event files on one core while the web server imports on the other.
SHARED = (
    "click",
    "mindinsight.ingest.follower",
)


def main(order: str) -> None:
    """Imports, migrates, forks and ends; in the forked processes it returns when their module has ended.

    Args:
        order: what to fork, as the supervisor says it.

    Raises:
        SystemExit: a library has started threads.
        django.db.Error: the database refuses.
    """
    # Holes that a collection leaves would only be filled, page by page, by the children.
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
