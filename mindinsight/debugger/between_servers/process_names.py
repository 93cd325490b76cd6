"""Names of web server processes. Sessions store the name of the process that has their training's connection."""

from __future__ import annotations

import os
import re
import socket
import uuid
from functools import cache


@cache
def this_process() -> str:
    """Returns the name of this process, valid as a group name: machine, process id and start."""
    machine = re.sub(r"[^A-Za-z0-9-]", "-", socket.gethostname())[:60]
    return f"{machine}.{os.getpid()}.{uuid.uuid4().hex[:8]}"


def is_dead(owner: str) -> bool:
    """Whether a web server is known to have ended: it ran on this machine and its process is gone."""
    me = this_process()
    machine, _, rest = owner.partition(".")
    number = rest.partition(".")[0]
    if machine != me.partition(".")[0] or not number.isdigit() or owner == me:
        return False
    if int(number) == os.getpid():
        return True
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return False
    return False
