"""Runs that are written to a dashboard over the network: `SummaryWriter("http://host:8080/name")`.

The values go to event files in a *spool*, a directory on this machine, exactly as they would go to a run's directory.
A thread sends the new bytes of these files to the dashboard, which appends them to files of its own. What could not be
sent stays in the spool; the next writer for the same dashboard sends it, or `python -m summaries.remote`.

- `address`: the address of a dashboard and of a run in it. The debugger's link uses it, too.
- `spool`: the directory of one run on this machine.
- `transport`: the requests; `mindinsight/incoming/api.md` is their contract.
- `uploads`: what is left to send of a spool's files.
- `sender`: the thread. `RemoteRun` is what the summary writer holds.
"""

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from summaries.remote.sender import RemoteRun


def open_if_remote(directory: str | os.PathLike[str]) -> "RemoteRun | None":
    """The run on a dashboard, if `directory` is the address of one; only then are its modules imported.

    Raises:
        OSError: the spool cannot be created.
        ValueError: the address names no run.
    """
    if not os.fspath(directory).startswith(("http:", "https:")):
        return None
    from summaries.remote.sender import RemoteRun

    return RemoteRun.open(directory)
