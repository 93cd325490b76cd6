"""`python -m mindinsight.mirror ADDRESS DATA FILES SECONDS`: the process that keeps a copy up to date.

Started by the supervisor. It ends on SIGTERM.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType

import fsspec

from mindinsight.mirror.copying import Copying, Folders

# A listing of a store costs money and time, unlike one of a directory.
_SHORTEST_PAUSE_S = 5.0
_SHARE = 0.2


def main(address: str, data: Path, files: Path, interval: float) -> None:
    """Copy until the process is asked to end.

    Args:
        address: the store's address.
        data: the dashboard's data directory.
        files: where the files are copied to.
        interval: seconds between two listings; 0 copies once.
    """
    signal.signal(signal.SIGTERM, _end)
    # It asks for the type of each bucket, which needs rights that a reader may lack.
    os.environ.setdefault("GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT", "false")
    store, root = fsspec.core.url_to_fs(address, use_listings_cache=False)
    copying = Copying(store, root.rstrip("/"), address, Folders(data, files))
    while True:
        began = time.monotonic()
        progress = copying.round()
        took = time.monotonic() - began
        while interval == 0 and progress["state"] == "current":
            signal.pause()
        time.sleep(max(interval, _SHORTEST_PAUSE_S, took / _SHARE))


def _end(_number: int, _frame: FrameType | None) -> None:
    # Threads that wait for the network need not be waited for: drafts are removed at the next start.
    os._exit(0)


if __name__ == "__main__":
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO)
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), float(sys.argv[4]))
