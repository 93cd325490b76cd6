"""Who may not talk to the dashboard, tried with plain sockets as an attacker would."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tests.dashboard import Dashboard

from .pages import row
from .training import falling, write_run
from .visits import Troubles, Visits

Headers = dict[str, str]


def ask(dashboard: Dashboard, path: str, headers: Headers | None = None, method: str = "GET") -> tuple[int, bytes]:
    """Sends a request exactly as written: neither path nor headers are made proper."""
    connection = http.client.HTTPConnection("127.0.0.1", dashboard.port, timeout=10)
    try:
        connection.putrequest(method, path, skip_host=True)
        for name, value in ({"Host": f"127.0.0.1:{dashboard.port}"} | (headers or {})).items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def socket_answer(dashboard: Dashboard, headers: Headers, host: str | None = None) -> int:
    """The HTTP status with which a socket is refused, 101 where it opens."""
    port = dashboard.port
    address = f"ws://{host or f'127.0.0.1:{port}'}/ws/live"
    plain = socket.create_connection(("127.0.0.1", port), timeout=10)
    try:
        with connect(address, sock=plain, additional_headers=headers, origin=None, proxy=None) as opened:
            assert json.loads(opened.recv(timeout=10))["type"] == "hello"
        return 101
    except InvalidStatus as refusal:
        return refusal.response.status_code
    finally:
        plain.close()


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:1", "https://127.0.0.1:{port}", "null"])
def test_pages_of_others_are_refused(origin: str, showroom: Dashboard) -> None:
    headers = {"Origin": origin.format(port=showroom.port)}
    assert ask(showroom, "/api/runs", headers)[0] == 403
    assert socket_answer(showroom, headers) == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1:1", "127.0.0.1.evil.example:{port}", ""]
)
def test_names_of_others_are_refused(host: str, showroom: Dashboard) -> None:
    named = host.format(port=showroom.port)
    own = {"Origin": f"http://127.0.0.1:{showroom.port}"}
    assert ask(showroom, "/api/runs", {"Host": named})[0] == 400
    assert ask(showroom, "/api/runs", own | {"Host": named})[0] == 400
    if named:
        assert socket_answer(showroom, {"Origin": f"http://{named}"}, named) in (400, 403)


def test_the_own_page_may_and_so_may_who_has_the_token(showroom: Dashboard) -> None:
    origin = {"Origin": f"http://127.0.0.1:{showroom.port}"}
    token = {"Authorization": f"Bearer {showroom.token}"}
    for headers in (origin, token, origin | token):
        assert ask(showroom, "/api/runs", headers)[0] == 200
        assert socket_answer(showroom, headers) == 101


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Basic {token}"},
        {"Cookie": "mindinsight_{port}={token}"},
    ],
    ids=["nothing", "wrong token", "wrong scheme", "token as cookie"],
)
def test_programs_without_the_token_get_no_socket(headers: Headers, showroom: Dashboard) -> None:
    filled = {name: value.format(token=showroom.token, port=showroom.port) for name, value in headers.items()}
    assert socket_answer(showroom, filled) == 403
    assert ask(showroom, "/api/token", filled)[0] in (401, 403)


@pytest.mark.parametrize(
    "path",
    [
        "/../../../../etc/passwd",
        "/assets/../../../../../../etc/passwd",
        "/assets/..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
        "/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/static/..%5c..%5c..%5cetc%5cpasswd",
        "/static/%252e%252e%252f%252e%252e%252fetc%252fpasswd",
        "//etc/passwd",
        "/assets/%00/etc/passwd",
        "/api/../../etc/passwd",
        "/index.html/../../settings.py",
    ],
)
def test_no_path_leads_out_of_the_served_files(path: str, showroom: Dashboard) -> None:
    status, body = ask(showroom, path)
    assert b"root:" not in body
    assert b"DJANGO" not in body
    # Addresses without a dot are pages of the front end, and that page says that it does not know them.
    assert status in (400, 404) or (status == 200 and body.startswith(b"<!doctype html>"))


def test_links_out_of_the_base_directory_are_not_followed(
    tmp_path: Path, start_dashboard: object, visit: Visits
) -> None:
    outside = tmp_path / "outside"
    write_run(outside / "secret", {"loss": [1.0]})
    base = tmp_path / "base"
    write_run(base / "inside", {"loss": [1.0]})
    (base / "link").symlink_to(outside)
    (base / "linked_file").mkdir()
    (event_file,) = (outside / "secret").iterdir()
    (base / "linked_file" / event_file.name).symlink_to(event_file)
    assert callable(start_dashboard)
    dashboard = start_dashboard(base)
    page = visit(dashboard, "/runs")
    expect(row(page, "inside")).to_be_visible()
    assert [run["name"] for run in dashboard.get_json("/api/runs")["results"]] == ["inside"]


def test_a_huge_message_closes_the_socket_and_nothing_else(showroom: Dashboard) -> None:
    address = f"ws://127.0.0.1:{showroom.port}/ws/live"
    headers = {"Authorization": f"Bearer {showroom.token}"}
    with connect(address, additional_headers=headers, proxy=None) as opened:
        opened.recv(timeout=10)
        opened.send("x" * ((1 << 20) + 1))
        with pytest.raises(ConnectionClosed) as closed:
            hear_everything(opened)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1009
    assert socket_answer(showroom, headers) == 101


def hear_everything(opened: ClientConnection) -> None:
    while True:
        opened.recv(timeout=10)


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A dashboard that listens for other machines."""
    base = tmp_path_factory.mktemp("public")
    write_run(base / "run", {"loss": falling(20)})
    with Dashboard.start(base, host="0.0.0.0") as dashboard:
        # Reached through loopback here; the link names the address that others would use.
        dashboard.address = f"http://127.0.0.1:{dashboard.port}"
        yield dashboard


def test_a_public_dashboard_shows_nothing_without_its_token(public: Dashboard) -> None:
    for path in ("/", "/runs", "/api/runs", "/api/status", "/theme.js", "/api/docs/", "/api/schema/"):
        status, body = ask(public, path)
        assert status == 401, path
        assert b"token" in body.lower()
    origin = {"Origin": f"http://127.0.0.1:{public.port}"}
    assert socket_answer(public, origin) == 403
    assert ask(public, "/?token=wrong")[0] == 403
    assert ask(public, "/healthz")[0] == 200


def test_the_printed_link_opens_a_public_dashboard(public: Dashboard, visit: Visits) -> None:
    query = public.link.partition("?")[2]
    assert query == f"token={public.token}"
    page = visit(public, f"/?{query}")
    expect(row(page, "run")).to_be_visible()
    assert public.token not in page.url
    assert public.token not in str(page.context.cookies())
    page.reload()
    expect(row(page, "run")).to_be_visible()
    expect(page.locator(".strip .live")).to_contain_text("live")


def test_the_token_can_be_pasted_after_a_wrong_one(public: Dashboard, visit: Visits, troubles: Troubles) -> None:
    troubles.expect("status of 40[13]")
    page = visit(public, "/runs")
    for token in ("wrong", public.token):
        page.get_by_label("Token").fill(token)
        page.get_by_role("button", name="Open").click()
        if token == "wrong":
            expect(page.get_by_text("This is not the token of this dashboard")).to_be_visible()
    expect(row(page, "run")).to_be_visible()
