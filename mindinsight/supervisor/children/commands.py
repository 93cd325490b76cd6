"""The commands and environments of the children. This module is the whole contract with the Django side."""

from __future__ import annotations

import os
import site
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import mindinsight
from mindinsight.supervisor.access_token import token_file
from mindinsight.supervisor.options import StartOptions

_REDIS_MEMORY = "256mb"
# Room for the threads of several web servers and workers; the server reserves memory for each.
_REDIS_CLIENTS = "1000"
_MESSAGE_BYTES = 1 << 20
_GRACE_S = 2
_NO = {"0", "false", "no", "off"}


@dataclass(frozen=True)
class ChildCommand:
    """One child process to run.

    Attributes:
        name: the name in log lines and in `mindinsight status`.
        arguments: the program and its arguments.
        environment: its whole environment.
        directory: its working directory.
        descriptors: file descriptors that it keeps.
        stem: the program and arguments that can start it together with others of the same stem; or empty.
    """

    name: str
    arguments: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    directory: Path = Path("/")
    descriptors: tuple[int, ...] = ()
    stem: tuple[str, ...] = ()

    @property
    def module(self) -> Sequence[str]:
        """For a Python program, the module that it runs and the module's arguments."""
        return self.arguments[self.arguments.index("-m") + 1 :]


def child_environment(options: StartOptions, redis_url: str, require_token: bool) -> dict[str, str]:
    """Environment variables that describe this dashboard to the worker and the web server.

    Args:
        options: the user's options.
        redis_url: the Redis to use.
        require_token: whether everybody needs the token, also this account.
    """
    environment = dict(os.environ)
    environment.update(
        DJANGO_SETTINGS_MODULE="mindinsight.config.settings",
        MINDINSIGHT_SUMMARY_BASE_DIR=str(options.base_directory),
        MINDINSIGHT_SUMMARY_ADDRESS=options.address or "",
        MINDINSIGHT_WORKSPACE=str(options.workspace),
        MINDINSIGHT_DATA_DIR=str(options.data_directory),
        MINDINSIGHT_REDIS_URL=redis_url,
        MINDINSIGHT_HOST=options.host,
        MINDINSIGHT_PORT=str(options.port),
        MINDINSIGHT_URL_PATH_PREFIX=options.prefix,
        MINDINSIGHT_RELOAD_INTERVAL=f"{options.reload_interval:g}",
        MINDINSIGHT_TOKEN_FILE=str(token_file(options.workspace)),
        MINDINSIGHT_REQUIRE_TOKEN="1" if require_token else "0",
        MINDINSIGHT_LOG=options.log_level,
        PYTHONUNBUFFERED="1",
    )
    # One thread of linear algebra and one memory arena are plenty, and save tens of megabytes per process.
    environment.setdefault("OPENBLAS_NUM_THREADS", "1")
    environment.setdefault("MALLOC_ARENA_MAX", "1")
    root = _root()
    if root not in {*site.getsitepackages(), site.getusersitepackages()}:
        # Run from a source tree: the children do not look into their working directory for modules.
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (root, environment.get("PYTHONPATH"))))
    return environment


def redis_command(program: Path, socket: Path) -> ChildCommand:
    """An embedded Redis that keeps nothing on disk and listens on a private socket only."""
    settings = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "save": "",
        "appendonly": "no",
        "maxmemory": _REDIS_MEMORY,
        "maxmemory-policy": "noeviction",
        "maxclients": _REDIS_CLIENTS,
        "dir": str(socket.parent),
        "daemonize": "no",
        "loglevel": "warning",
    }
    arguments = [part for name, value in settings.items() for part in (f"--{name}", value)]
    return ChildCommand("redis", [str(program), *arguments], directory=socket.parent)


def worker_command(options: StartOptions, environment: Mapping[str, str]) -> ChildCommand:
    """The Celery worker, which also reads the event files."""
    arguments = _python_module("mindinsight.config.worker")
    return ChildCommand("worker", arguments, environment, options.workspace, stem=_stem())


def mirror_command(options: StartOptions, environment: Mapping[str, str]) -> ChildCommand:
    """The process that copies an object store to the base directory."""
    arguments = [
        *_python_module("mindinsight.mirror"),
        options.address or "",
        str(options.data_directory),
        str(options.base_directory),
        f"{options.reload_interval:g}",
    ]
    return ChildCommand("mirror", arguments, environment, options.workspace)


def web_command(options: StartOptions, environment: Mapping[str, str], listener: int) -> ChildCommand:
    """The web server on the descriptor of a socket that already listens."""
    arguments = [
        *_python_module("mindinsight.config.web"),
        "mindinsight.config.asgi:application",
        # By default it would import from the working directory first, whatever -P says.
        f"--app-dir={_root()}",
        f"--fd={listener}",
        "--ws=mindinsight.sockets.protocol:BoundedProtocol",
        "--loop=uvloop",
        "--http=mindinsight.config.connection:Connection",
        # The gate checks the real peer of a connection, not the one in a header.
        "--no-proxy-headers",
        f"--ws-max-size={_MESSAGE_BYTES}",
        "--ws-per-message-deflate=false",
        "--no-access-log",
        "--no-server-header",
        f"--timeout-graceful-shutdown={_GRACE_S}",
        f"--log-level={options.log_level}",
    ]
    return ChildCommand("web", arguments, environment, options.workspace, (listener,), _stem())


def _root() -> str:
    """The directory that this package was imported from."""
    return str(Path(mindinsight.__file__).parent.parent)


def _stem() -> tuple[str, ...]:
    if os.environ.get("MINDINSIGHT_SHARE_MEMORY", "").lower() in _NO:
        return ()
    return tuple(_python_module("mindinsight.config.forked"))


def _python_module(name: str) -> list[str]:
    # -P: a file of the user with the name of one of our modules must not be imported instead of it.
    return [sys.executable, "-P", "-m", name]
