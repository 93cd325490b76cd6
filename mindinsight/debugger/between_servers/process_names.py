"""Names of web server processes, by which sessions say who has their trainings' connections."""

from __future__ import annotations

import os
import re
import socket
import uuid
from functools import cache


@cache
def this_process() -> str:
    """Returns the name of this process, as groups can have: its machine, its number, and its life."""
    machine = re.sub(r"[^A-Za-z0-9-]", "-", socket.gethostname())[:60]
    return f"{machine}.{os.getpid()}.{uuid.uuid4().hex[:8]}"


def is_dead(owner: str) -> bool:
    """Whether a web server is known to be gone: it ran on this machine, and its process does not."""
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
