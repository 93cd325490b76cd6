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
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from summaries.remote.sender import RemoteRun

HEAD_BYTES = 4096
"""Number of first bytes by which two files of one name are told apart. They hold the writer's unique id."""
# `pathlib` makes one slash of two.
SCHEME = re.compile(r"(https?):/{1,2}(?=[^/])", re.IGNORECASE)
"""The beginning of the address of a run."""


def is_remote(directory: str | os.PathLike[str]) -> bool:
    """Whether a run's directory is an address on a dashboard."""
    return SCHEME.match(os.fspath(directory)) is not None


def open_if_remote(directory: str | os.PathLike[str]) -> "RemoteRun | None":
    """The run on a dashboard, if `directory` is the address of one; only then are its modules imported.

    Raises:
        OSError: the spool cannot be created.
        ValueError: the address names no run.
    """
    if not is_remote(directory):
        return None
    from summaries.remote.sender import RemoteRun

    return RemoteRun.open(directory)
