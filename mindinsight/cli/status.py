"""`mindinsight status`: shows the running dashboards, their directories and their processes."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mindinsight.cli.workspace import workspace_option
from mindinsight.disks import DiskTrouble, look_at

if TYPE_CHECKING:
    from mindinsight.supervisor.instances import Instance

_TIMEOUT_S = 2.0


@click.command()
@workspace_option
@click.option("--link", "with_link", is_flag=True, help="Also print a link with the token, which lets others in.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list for scripts.")
def status(workspace: Path, with_link: bool, as_json: bool) -> None:
    """Show the dashboards that are running."""
    from mindinsight.supervisor.instances import running_instances

    rows = [_row(instance, workspace, with_link) for instance in running_instances(workspace)]
    if as_json:
        click.echo(json.dumps(rows, indent=1))
    elif not rows:
        click.echo(f"No dashboard is running (workspace {workspace}).")
    else:
        click.echo("\n\n".join(_text(row) for row in rows))


def _row(instance: Instance, workspace: Path, with_link: bool) -> dict[str, Any]:
    row = asdict(instance)
    if with_link:
        row["link"] = _link(instance, workspace)
    for child in row["children"]:
        child["rss"] = _rss(child["pid"], instance.pid)
    row["rss"] = _rss(instance.pid)
    row["rss_total"] = (row["rss"] or 0) + sum(child["rss"] or 0 for child in row["children"])
    row["uptime"] = round(max(0.0, time.time() - instance.started), 1)
    answer = _ask(instance, workspace)
    row["runs"] = answer.get("runs")
    row["disk"] = answer["disk"] if "disk" in answer else _disk(workspace)
    return row


def _link(instance: Instance, workspace: Path) -> str:
    from mindinsight.supervisor.access_token import read_or_create_token
    from mindinsight.supervisor.launch import link

    return link(instance.address, read_or_create_token(workspace))


def _disk(workspace: Path) -> dict[str, Any] | None:
    """Returns the problem of the workspace's disk, if no web server reports one."""
    found = look_at(workspace)
    return None if found is None else found.as_json()


def _rss(pid: int | None, parent: int | None = None) -> int | None:
    """Returns the resident bytes of a process, or None if it has ended (even if its number is in use again)."""
    import psutil

    if pid is None:
        return None
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        if parent is None or process.ppid() == parent:
            return int(process.memory_info().rss)
    return None


def _ask(instance: Instance, workspace: Path) -> dict[str, Any]:
    """Returns the dashboard's status, or an empty object if it does not answer."""
    from http.client import HTTPConnection, HTTPException

    from mindinsight.supervisor.access_token import token_file

    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(instance.host, instance.host)  # noqa: S104  (compared, not bound)
    connection = HTTPConnection(host, instance.port, timeout=_TIMEOUT_S)
    try:
        token = token_file(workspace).read_text(encoding="ascii").strip()
        headers = {"Host": f"127.0.0.1:{instance.port}", "Authorization": f"Bearer {token}"}
        connection.request("GET", f"{instance.prefix}/api/status", headers=headers)
        answer = connection.getresponse()
        return dict(json.loads(answer.read())) if answer.status == 200 else {}
    except (OSError, HTTPException, ValueError, TypeError):
        return {}
    finally:
        connection.close()


def _text(row: dict[str, Any]) -> str:
    runs = "runs unknown" if row["runs"] is None else f"{row['runs']} run{'' if row['runs'] == 1 else 's'}"
    lines = [
        f"{row['address']}   {row['base_directory']}",
        f"  {row['state']}, up {_duration(row['uptime'])}, {runs}, {_megabytes(row['rss_total'])}",
        f"  {'supervisor':<12}{row['pid']:>8}{_megabytes(row['rss']):>10}",
    ]
    if "link" in row:
        lines.insert(1, f"  {row['link']}")
    for child in row["children"]:
        restarts = f"  restarts: {child['restarts']}" if child["restarts"] else ""
        pid = child["pid"] or "-"
        lines.append(f"  {child['name']:<12}{pid:>8}{_megabytes(child['rss']):>10}  {child['state']}{restarts}")
    if (disk := DiskTrouble.from_json(row["disk"])) is not None:
        lines.append(f"  Nothing is stored until that changes: {disk.message}")
    return "\n".join(lines)


def _megabytes(size: int | None) -> str:
    return "-" if size is None else f"{size / 1e6:.0f} MB"


def _duration(seconds: float) -> str:
    minutes, second = divmod(int(seconds), 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    parts = [(days, "d"), (hour, "h"), (minute, "min"), (second, "s")]
    shown = [f"{number} {unit}" for number, unit in parts if number][:2]
    return " ".join(shown) or "0 s"
