"""Another account of the machine at a real dashboard: it sees and changes nothing without the token."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from summaries import SummaryWriter
from tests.dashboard import Dashboard, command_environment, command_line, wait_until
from tests.other_account import OtherAccount, needs_other_account

pytestmark = [pytest.mark.processes, needs_other_account]


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    base = tmp_path_factory.mktemp("private")
    with SummaryWriter(base / "run") as writer:
        writer.add_scalar("loss", 1.0, 1)
    with Dashboard.start(base) as started:
        wait_until(lambda: started.get_json("/api/runs")["results"], what="the run")
        yield started


@pytest.fixture(scope="module")
def other() -> Iterator[OtherAccount]:
    with OtherAccount() as account:
        yield account


def test_the_owner_needs_no_token(dashboard: Dashboard) -> None:
    with urlopen(f"{dashboard.address}/api/runs") as answer:
        assert json.load(answer)["results"]


@pytest.mark.parametrize("pretence", ["nothing", "origin", "forwarded", "cookie"])
def test_another_account_sees_nothing(dashboard: Dashboard, other: OtherAccount, pretence: str) -> None:
    headers = {
        "nothing": {},
        "origin": {"Origin": dashboard.address},
        "forwarded": {"Origin": dashboard.address, "X-Forwarded-For": "127.0.0.1"},
        "cookie": {"Origin": dashboard.address, "Cookie": f"mindinsight_{dashboard.port}=forged"},
    }[pretence]
    for path in ("/", "/runs", "/api/runs", "/api/status", "/theme.js", "/api/schema/"):
        status, body = other.ask(dashboard.port, path, headers)
        assert status == 401, path
        assert str(dashboard.workspace / "token").encode() in body
        assert dashboard.token.encode() not in body
    for path in ("/ws/live", "/ws/debug", "/ws/train"):
        assert not other.opens_socket(dashboard.port, path, headers)
    run = dashboard.get_json("/api/runs")["results"][0]
    trash = json.dumps({"runs": [run["id"]]})
    typed = {**headers, "Content-Type": "application/json"}
    assert other.ask(dashboard.port, "/api/runs/trash", typed, "POST", trash)[0] == 401
    assert dashboard.get_json("/api/runs")["results"][0]["id"] == run["id"]


def test_another_account_with_the_token_is_let_in(dashboard: Dashboard, other: OtherAccount) -> None:
    token = {"Authorization": f"Bearer {dashboard.token}"}
    assert other.ask(dashboard.port, "/api/runs", token)[0] == 200
    assert other.opens_socket(dashboard.port, "/ws/live", token)


def test_what_the_status_links_to_lets_another_account_in(dashboard: Dashboard, other: OtherAccount) -> None:
    printed = subprocess.run(
        command_line("status", "--link", "--workspace", dashboard.workspace),
        env=command_environment(),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert f"{dashboard.address}/?token={dashboard.token}" in printed
    assert b"Opening the dashboard" in other.ask(dashboard.port, f"/?token={dashboard.token}")[1]


@pytest.mark.parametrize("by", ["variable", "option"])
def test_everytrashis_asked_where_the_owner_wants_it(tmp_path: Path, by: str) -> None:
    base = tmp_path / "summaries"
    base.mkdir()
    environment = {"MINDINSIGHT_REQUIRE_TOKEN": "true"} if by == "variable" else {}
    flags = ["--require-token"] if by == "option" else []
    with Dashboard.start(base, environment=environment, flags=flags) as strict:
        assert strict.link == f"{strict.address}/?token={strict.token}"
        with pytest.raises(HTTPError, match="401"):
            urlopen(f"{strict.address}/api/runs")
        assert strict.get("/api/runs")[0] == 200
