"""`mindinsight stop`: stops a dashboard and reports whether it ended."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mindinsight.cli.workspace import workspace_option

if TYPE_CHECKING:
    from mindinsight.supervisor.instances import Instance

_PATIENCE_S = 5.0
_LOOK_S = 0.02


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), help="Port of the dashboard; needed only where several run.")
@workspace_option
def stop(port: int | None, workspace: Path) -> None:
    """Stop a dashboard that runs in the background."""
    instance = _choose(port, workspace)
    if instance is None:
        click.echo(f"No dashboard is running{f' on port {port}' if port else ''} (workspace {workspace}).")
        return
    _signal(instance, signal.SIGTERM)
    if _wait(instance, workspace):
        click.echo(f"Stopped the dashboard on port {instance.port} (pid {instance.pid}).")
        return
    # The kernel ends the children of a supervisor that is gone.
    _signal(instance, signal.SIGKILL)
    if not _wait(instance, workspace):
        raise click.ClickException(f"The dashboard on port {instance.port} (pid {instance.pid}) does not end.")
    click.echo(
        f"The dashboard on port {instance.port} (pid {instance.pid}) did not end within {_PATIENCE_S:g} s "
        "and was killed."
    )


def _choose(port: int | None, workspace: Path) -> Instance | None:
    from mindinsight.supervisor.instances import running_instance, running_instances

    if port is not None:
        return running_instance(workspace, port)
    running = running_instances(workspace)
    if len(running) > 1:
        lines = "\n".join(f"  --port {found.port}   {found.base_directory}" for found in running)
        raise click.UsageError(f"Several dashboards are running. Say which one to stop:\n{lines}")
    return running[0] if running else None


def _signal(instance: Instance, number: signal.Signals) -> None:
    try:
        with suppress(ProcessLookupError):
            os.kill(instance.pid, number)
    except PermissionError as error:
        raise click.ClickException(
            f"The dashboard on port {instance.port} (pid {instance.pid}) belongs to another user, who must stop it."
        ) from error


def _wait(instance: Instance, workspace: Path) -> bool:
    """Waits until the dashboard has released its lock, which is its last step."""
    from mindinsight.supervisor.instances import has_ended

    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        if has_ended(workspace, instance.port):
            return True
        time.sleep(_LOOK_S)
    return False
