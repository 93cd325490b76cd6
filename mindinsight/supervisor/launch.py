"""From options to a running dashboard: checks and acquires everything that it needs, then supervises.

Called by `mindinsight start`. Everything that can fail because of the user's environment fails in `prepare`, before any
process is started.
"""

from __future__ import annotations

import contextlib
import os
import resource
import secrets
import socket
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from mindinsight.supervisor.access_token import read_or_create_token
from mindinsight.supervisor.children.commands import (
    ChildCommand,
    child_environment,
    mirror_command,
    redis_command,
    web_command,
    worker_command,
)
from mindinsight.supervisor.errors import StartError, WorkspaceError
from mindinsight.supervisor.instances import Instance, InstanceFile, running_instance, running_instances
from mindinsight.supervisor.listener import bind_listener, is_loopback, local_address, web_address
from mindinsight.supervisor.lock import FileLock
from mindinsight.supervisor.options import StartOptions
from mindinsight.supervisor.redis_server import check_server, find_server
from mindinsight.supervisor.runtime_directory import RuntimeDirectory
from mindinsight.supervisor.supervisor import Reporter, Supervisor

# The children of a killed supervisor end within this time and free its port.
_LEFTOVERS_S = 8.0
_WANTED_FILES = 65536
# A new database and its log take a quarter of that.
_PROBE_BYTES = 1 << 20


class AlreadyRunningError(StartError):
    """A dashboard of this workspace has the port already.

    Args:
        port: the port.
        instance: the dashboard, or None if it is still starting.
    """

    def __init__(self, port: int, instance: Instance | None) -> None:
        self.instance = instance
        if instance is None:
            super().__init__(f"A dashboard on port {port} is being started or stopped at this moment; try again.")
        else:
            super().__init__(
                f"Port {port} already serves {instance.base_directory} ({instance.address}, pid {instance.pid}).\n"
                f"Choose another --port, or stop that one first: mindinsight stop --port {port}"
            )


@dataclass
class Dashboard:
    """Everything that a dashboard holds before its first process starts; made by `prepare`."""

    options: StartOptions
    place: InstanceFile
    listener: socket.socket
    runtime: RuntimeDirectory | None
    token: str
    _held: ExitStack
    began: float = field(default_factory=time.time)

    @property
    def public(self) -> bool:
        """Whether other machines can reach it."""
        return not is_loopback(self.listener)

    @property
    def require_token(self) -> bool:
        """Whether everybody needs the token, also the account that it runs as."""
        return self.public or self.options.require_token

    @property
    def address(self) -> str:
        """Its web address, without a token."""
        return web_address(self.listener, self.options.host, self.options.prefix)

    @property
    def link(self) -> str:
        """The link for a browser: the address, with the token if everybody needs it."""
        return link(self.address, self.token if self.require_token else None)

    def commands(self) -> list[ChildCommand]:
        """The product's own children."""
        redis_url = self.options.redis_url or (f"unix://{self.runtime.socket}" if self.runtime else "")
        environment = child_environment(self.options, redis_url, self.require_token)
        children = [
            worker_command(self.options, environment),
            web_command(self.options, environment, self.listener.fileno()),
        ]
        if self.options.address is not None:
            children.insert(0, mirror_command(self.options, environment))
        if self.runtime is not None:
            children.insert(0, redis_command(find_server(), self.runtime.socket))
        return children

    def supervise(self, reporter: Reporter, hang_up_stops: bool, commands: Sequence[ChildCommand] | None = None) -> int:
        """Runs the dashboard in this process until it is asked to end, and then releases everything.

        Args:
            reporter: is called when the dashboard is ready, or with the reason why it is not.
            hang_up_stops: whether the closing of the terminal ends the dashboard.
            commands: other children than the product's own.

        Returns:
            The exit status.
        """
        with self._held:
            _allow_many_files()
            try:
                supervisor = Supervisor(
                    commands or self.commands(),
                    self._instance(),
                    self.place.write,
                    local_address(self.listener),
                    reporter,
                    hang_up_stops,
                )
            except OSError as error:
                reporter.failed(str(WorkspaceError(self.options.workspace, error)))
                return 1
            return supervisor.run()

    def _instance(self) -> Instance:
        return Instance(
            pid=os.getpid(),
            port=self.options.port,
            host=self.options.host,
            address=self.address,
            base_directory=self.options.source,
            workspace=str(self.options.workspace),
            prefix=self.options.prefix,
            logs=str(self.options.log_directory),
            started=time.time(),
            public=self.public,
            require_token=self.require_token,
        )


def link(address: str, token: str | None) -> str:
    """Returns the link for a browser."""
    return address if token is None else f"{address}/?token={token}"


def prepare(options: StartOptions) -> Dashboard:
    """Acquires everything that the dashboard needs: its place in the workspace, its port, its runtime directory.

    Raises:
        AlreadyRunningError: a dashboard of this workspace has the port.
        StartError: something else keeps it from starting. Nothing is held then.
    """
    with ExitStack() as held:
        try:
            _probe_workspace(options.workspace)
            token = read_or_create_token(options.workspace)
            place = InstanceFile(options.workspace, options.port)
            if not place.claim():
                raise AlreadyRunningError(options.port, running_instance(options.workspace, options.port))
            held.callback(place.release)
            if options.redis_url is None:
                _claim_data(options, held)
            if options.address is not None:
                options.base_directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise WorkspaceError(options.workspace, error) from error
        patience = _LEFTOVERS_S if place.left_behind else 0.0
        listener = held.enter_context(bind_listener(options.host, options.port, patience))
        runtime = _prepare_redis(options)
        if runtime is not None:
            held.callback(runtime.remove)
        return Dashboard(options, place, listener, runtime, token, held.pop_all())


def _probe_workspace(workspace: Path) -> None:
    """Checks that files can be created and filled there, before children fail in strange ways."""
    workspace.mkdir(parents=True, exist_ok=True, mode=0o700)
    probe = workspace / f".probe.{secrets.token_hex(8)}"
    try:
        probe.write_bytes(bytes(_PROBE_BYTES))
    finally:
        with contextlib.suppress(OSError):
            probe.unlink(missing_ok=True)


def _claim_data(options: StartOptions, held: ExitStack) -> None:
    """One database has one reader and one broker: an embedded Redis cannot serve a second dashboard."""
    options.data_directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = held.enter_context(FileLock(options.data_directory / "dashboard.lock"))
    if lock.acquire():
        return
    others = running_instances(options.workspace)
    other = next((found for found in others if found.base_directory == options.source), None)
    where = f"at {other.address} (pid {other.pid})" if other else "by another dashboard"
    raise StartError(
        f"{options.source} is already served {where}. Open that one, or stop it first.\n"
        "To serve it a second time, give the second one its own --workspace."
    )


def _prepare_redis(options: StartOptions) -> RuntimeDirectory | None:
    if options.redis_url is not None:
        check_server(options.redis_url)
        return None
    find_server()
    return RuntimeDirectory()


def _allow_many_files() -> None:
    """Raises the limit of open files: each browser and each open series needs a descriptor in the children."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED_FILES if hard == resource.RLIM_INFINITY else min(hard, _WANTED_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
