"""`mindinsight start`: checks the options, starts the dashboard and prints its address."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mindinsight.cli.workspace import workspace_option
from mindinsight.mirror.address import AddressError, checked_address, is_address

if TYPE_CHECKING:
    from mindinsight.supervisor.launch import AlreadyRunningError, Dashboard
    from mindinsight.supervisor.options import StartOptions

_PREFIX = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+")
_LOG_LEVELS = ("debug", "info", "warning", "error", "critical")
_LONGEST_INTERVAL_S = 300


def _source(_context: click.Context, _parameter: click.Parameter, value: str) -> Path | str:
    """A readable directory, or the address of an object store."""
    if is_address(value):
        try:
            return checked_address(value)
        except AddressError as error:
            raise click.BadParameter(str(error)) from None
    path = Path(value).expanduser()
    if not path.exists():
        raise click.BadParameter(
            f"There is no directory {path.absolute()}. Give the directory that your trainings write their summaries "
            "to, or create it first."
        )
    if not path.is_dir():
        raise click.BadParameter(f"{path.absolute()} is a file. Name the directory that it is in.")
    if not os.access(path, os.R_OK | os.X_OK):
        raise click.BadParameter(f"You may not read {path.absolute()}. Ask its owner, or name another directory.")
    return path.resolve()


def _clean_prefix(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    prefix = value.rstrip("/")
    if prefix and not _PREFIX.fullmatch(prefix):
        raise click.BadParameter(
            f"{value!r} is not a path below which pages can be served. It starts with a slash and has letters, digits, "
            "'-', '_', '.' and '~' only: /mindinsight"
        )
    return prefix


@click.command()
@click.option(
    "--summary-base-dir",
    envvar="MINDINSIGHT_SUMMARY_BASE_DIR",
    default=".",
    metavar="DIR",
    callback=_source,
    help="Directory to search for runs, with its subdirectories, or s3://BUCKET/PATH or gs://BUCKET/PATH.  "
    "[default: the current directory]",
)
@click.option(
    "--port",
    envvar="MINDINSIGHT_PORT",
    type=click.IntRange(1, 65535),
    default=8080,
    show_default=True,
    help="Port of the web address.",
)
@click.option(
    "--host",
    envvar="MINDINSIGHT_HOST",
    default="127.0.0.1",
    metavar="ADDRESS",
    show_default=True,
    help="Address to listen on. With 0.0.0.0 other machines can connect, by a link with a token.",
)
@workspace_option
@click.option(
    "--url-path-prefix",
    envvar="MINDINSIGHT_URL_PATH_PREFIX",
    default="",
    metavar="/PATH",
    callback=_clean_prefix,
    help="Path prefix of all pages, for use behind a proxy.",
)
@click.option(
    "--reload-interval",
    envvar="MINDINSIGHT_RELOAD_INTERVAL",
    type=click.FloatRange(0, _LONGEST_INTERVAL_S),
    default=1.0,
    metavar="SECONDS",
    show_default=True,
    help="How often to look for new data where file system events do not tell; 0 reads once.",
)
@click.option(
    "--require-token",
    envvar="MINDINSIGHT_REQUIRE_TOKEN",
    is_flag=True,
    help="Require the token from everyone, including this account.",
)
@click.option("--foreground", is_flag=True, help="Stay in the terminal; Ctrl-C stops the dashboard.")
def start(
    summary_base_dir: Path | str,
    port: int,
    host: str,
    workspace: Path,
    url_path_prefix: str,
    reload_interval: float,
    require_token: bool,
    foreground: bool,
) -> None:
    """Start the dashboard and print its address.

    It runs in the background; `mindinsight stop` ends it.
    """
    from mindinsight.supervisor.errors import StartError
    from mindinsight.supervisor.launch import AlreadyRunningError, prepare
    from mindinsight.supervisor.options import StartOptions, local_copy

    _check_database(os.environ.get("MINDINSIGHT_DATABASE_URL", ""))
    address = summary_base_dir if isinstance(summary_base_dir, str) else None
    options = StartOptions(
        base_directory=Path(summary_base_dir) if address is None else local_copy(workspace, address),
        address=address,
        workspace=workspace,
        host=host,
        port=port,
        prefix=url_path_prefix,
        reload_interval=reload_interval,
        redis_url=os.environ.get("MINDINSIGHT_REDIS_URL") or None,
        require_token=require_token,
        log_level=_log_level(),
    )
    try:
        dashboard = prepare(options)
    except AlreadyRunningError as running:
        _tell_running(running, options)
        return
    except StartError as error:
        raise click.ClickException(str(error)) from error
    if foreground:
        _stay(dashboard)
    else:
        _leave(dashboard)


def _check_database(url: str) -> None:
    if not url:
        return
    from mindinsight.environment import missing_driver

    if says := missing_driver(url):
        raise click.ClickException(says)


def _log_level() -> str:
    level = os.environ.get("MINDINSIGHT_LOG", "").lower() or "warning"
    if level not in _LOG_LEVELS:
        raise click.UsageError(f"MINDINSIGHT_LOG is {level!r}; it is one of {', '.join(_LOG_LEVELS)}.")
    return level


def _tell_running(running: AlreadyRunningError, options: StartOptions) -> None:
    from mindinsight.supervisor.access_token import read_or_create_token
    from mindinsight.supervisor.launch import link

    instance = running.instance
    if instance is None or instance.base_directory != options.source:
        raise click.ClickException(str(running)) from running
    token = read_or_create_token(options.workspace) if instance.require_token else None
    click.echo(f"Web address: {link(instance.address, token)}")
    click.echo(f"This dashboard is already running (pid {instance.pid}).")


def _ready_lines(dashboard: Dashboard, last: str) -> str:
    from mindinsight.supervisor.access_token import token_file

    lines = [f"Web address: {dashboard.link}"]
    if dashboard.require_token:
        why = "Other machines can reach it" if dashboard.public else "It requires its token from everyone"
        lines.append(
            f"{why}, so a browser must open this link with the token once. "
            f"The token is in the file {token_file(dashboard.options.workspace)}."
        )
    lines += _damage_lines(dashboard)
    return "\n".join([*lines, last])


def _damage_lines(dashboard: Dashboard) -> list[str]:
    from mindinsight.database_notice import read_notice

    notice = read_notice(dashboard.options.data_directory)
    if notice is None or notice["at"] < dashboard.began:
        return []
    saved = sum(notice["saved"].values())
    return [
        f"The database {notice['why']}. It was set aside as {notice['file']}; a new one is being filled from the event "
        f"files, and {saved} rows (names of runs, marks, notes, views, trash) were saved. See docs/troubleshooting.md."
    ]


class _TerminalReporter:
    """Prints messages to the terminal, if it still exists. Losing it must not end the dashboard."""

    def __init__(self, dashboard: Dashboard) -> None:
        self._dashboard = dashboard

    def ready(self) -> None:
        with suppress(OSError):
            click.echo(_ready_lines(self._dashboard, "Press Ctrl-C to stop."))

    def failed(self, message: str) -> None:
        with suppress(OSError):
            click.echo(f"Error: {message}", err=True)

    def note(self, line: str) -> None:
        with suppress(OSError):
            click.echo(line, err=True)


def _stay(dashboard: Dashboard) -> None:
    sys.exit(dashboard.supervise(_TerminalReporter(dashboard), hang_up_stops=True))


def _leave(dashboard: Dashboard) -> None:
    from mindinsight.supervisor.background import run_in_background

    outcome = run_in_background(lambda reporter: dashboard.supervise(reporter, hang_up_stops=False))
    if outcome.failure is not None:
        raise click.ClickException(outcome.failure)
    stopping = f"mindinsight stop{_how_to_find(dashboard)}"
    click.echo(_ready_lines(dashboard, f"It runs in the background (pid {outcome.pid}); stop it with: {stopping}"))


def _how_to_find(dashboard: Dashboard) -> str:
    """Returns the options that `mindinsight stop` needs to find the dashboard."""
    options = dashboard.options
    default = Path(os.environ.get("MINDINSIGHT_WORKSPACE") or "~/mindinsight").expanduser().absolute()
    workspace = "" if options.workspace == default else f" --workspace {options.workspace}"
    return f" --port {options.port}{workspace}"
