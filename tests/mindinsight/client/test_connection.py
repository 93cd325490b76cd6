"""The client's requests: addresses, tokens, proxies, lost connections, and error messages."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from mindinsight.client import Client, ClientError
from mindinsight.client.errors import unreachable
from tests.dashboard import free_port
from tests.mindinsight.client.conftest import FakeDashboard, answers, break_off, hang_up, run_row

DETAILS = "/api/runs/details"


@pytest.fixture(autouse=True)
def _no_token_outside(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("MINDINSIGHT_TOKEN", raising=False)
    monkeypatch.setattr("mindinsight.client.connection._PAUSES", (0.0, 0.0))
    return


@pytest.mark.parametrize("ending", ["", "/", "/?token=abc", "?x=1&token=abc", "/?token=abc#top"])
def test_addresses_as_they_are_printed(fake: FakeDashboard, ending: str) -> None:
    fake.answers[DETAILS] = {"runs": []}
    client = Client(fake.address + ending)
    client.runs()
    assert fake.asked == [DETAILS]
    assert fake.headers[0].get("authorization") == ("Bearer abc" if "token" in ending else None)
    assert repr(client) == f"Client('{fake.address}')"


def test_an_address_with_a_prefix_and_without_a_scheme(fake: FakeDashboard) -> None:
    fake.answers["/team/a%20b/api/runs/details"] = {"runs": []}
    assert len(Client(fake.address.removeprefix("http://") + "/team/a b/").runs()) == 0


def test_where_the_token_comes_from(fake: FakeDashboard, monkeypatch: pytest.MonkeyPatch) -> None:
    fake.answers[DETAILS] = {"runs": []}
    monkeypatch.setenv("MINDINSIGHT_TOKEN", "environment")
    for client in (
        Client(f"{fake.address}?token=address", token="argument"),
        Client(f"{fake.address}?token=address"),
        Client(fake.address),
    ):
        client.runs()
    shown = [headers["authorization"] for headers in fake.headers]
    assert shown == ["Bearer argument", "Bearer address", "Bearer environment"]


@pytest.mark.parametrize(
    "address", ["", "ftp://x", "http://", "http://x:99999", "http://x:y", "file:///etc/passwd", "http://[", "a:b@c"]
)
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(ClientError, match="not an address of a dashboard"):
        Client(address)


def test_the_token_of_a_bad_address_is_not_repeated() -> None:
    with pytest.raises(ClientError) as caught:
        Client("ftp://x?token=secret")
    assert "secret" not in str(caught.value)


def test_proxies_are_for_others(fake: FakeDashboard, monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests to a dashboard on this machine are direct; others use the proxy of the environment."""
    monkeypatch.setenv("http_proxy", fake.address)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with pytest.raises(ClientError, match="No dashboard answers"):
        Client(f"http://127.0.0.1:{free_port()}").runs()
    with pytest.raises(ClientError, match="No dashboard answers"):
        Client(f"http://localhost:{free_port()}").runs()
    assert fake.asked == []
    fake.answers["http://gpu7.invalid:8080/api/runs/details"] = {"runs": []}
    Client("http://gpu7.invalid:8080").runs()
    assert fake.asked == ["http://gpu7.invalid:8080/api/runs/details"]


def test_nobody_there() -> None:
    port = free_port()
    with pytest.raises(ClientError, match=f"No dashboard answers at http://127.0.0.1:{port}.*mindinsight start"):
        Client(f"http://127.0.0.1:{port}").runs()


@pytest.mark.parametrize("accident", [hang_up, break_off])
def test_a_lost_connection_is_tried_again(fake: FakeDashboard, accident: object) -> None:
    fake.answers[DETAILS] = iter([accident, accident, {"runs": [run_row("a")]}])
    assert [run.name for run in Client(fake.address).runs()] == ["a"]
    assert len(fake.asked) == 3


def test_a_connection_that_is_lost_again_and_again(fake: FakeDashboard) -> None:
    fake.answers[DETAILS] = hang_up
    with pytest.raises(ClientError, match=r"lost repeatedly.*mindinsight status"):
        Client(fake.address).runs()
    assert len(fake.asked) == 3


def test_a_silent_dashboard() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ClientError, match=r"did not answer within 0\.05 s"):
            Client(address, timeout=0.05).runs()


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (socket.gaierror(-2, "Name or service not known"), "host name is unknown"),
        (OSError(113, "No route to host"), "No route to host"),
        ("unknown url type", "unknown url type"),
    ],
)
def test_other_reasons(reason: object, words: str) -> None:
    assert words in str(unreachable("http://gpu7:8080", reason, 1.0))


def test_something_else_answers(fake: FakeDashboard) -> None:
    for reaction in (
        answers(b"<html>hello"),
        answers(b"<html>no", 404),
        answers([1], 404),
        answers(b"{", 500),
        lambda handler: handler.wfile.write(b"SSH-2.0-OpenSSH\r\n"),
    ):
        fake.answers[DETAILS] = reaction
        with pytest.raises(ClientError, match="is not the address of a MindInsight dashboard"):
            Client(fake.address).runs()


def test_a_redirect_is_not_followed(fake: FakeDashboard) -> None:
    fake.answers[DETAILS] = answers(b"", 302, Location="http://elsewhere.invalid/")
    with pytest.raises(ClientError, match="redirects to http://elsewhere"):
        Client(fake.address, token="secret").runs()


@pytest.mark.parametrize(("status", "code"), [(401, "token_wanted"), (403, "wrong_token")])
def test_a_token_is_wanted(fake: FakeDashboard, status: int, code: str) -> None:
    fake.answers[DETAILS] = answers({"code": code, "message": "…", "detail": {}}, status)
    with pytest.raises(ClientError, match="MINDINSIGHT_TOKEN") as caught:
        Client(fake.address, token="secret").runs()
    assert caught.value.code == code
    assert "secret" not in str(caught.value)


def test_what_the_dashboard_refuses(fake: FakeDashboard) -> None:
    fake.answers[DETAILS] = answers({"code": "foreign_host", "message": "Not this host.", "detail": {}}, 400)
    with pytest.raises(ClientError, match="refused: Not this host") as caught:
        Client(fake.address).runs()
    assert caught.value.code == "foreign_host"


def test_a_dashboard_that_is_too_old(fake: FakeDashboard) -> None:
    fake.answers["/api/status"] = {"version": "0.0.9"}
    with pytest.raises(ClientError, match=r"too old.*/api/runs/details.*0\.0\.9.*pip install") as caught:
        Client(fake.address).runs()
    assert caught.value.code == "too_old"


@pytest.mark.parametrize("body", [[], {"results": []}, {"runs": [{}]}, {"runs": 3}, {"runs": [{"params": 3}]}])
def test_an_answer_of_another_form(fake: FakeDashboard, body: object) -> None:
    fake.answers[DETAILS] = body
    with pytest.raises(ClientError, match=r"does not know.*same version"):
        Client(fake.address).runs()


def test_the_client_needs_neither_django_nor_pandas() -> None:
    script = (
        "import sys, mindinsight.client\n"
        "heavy = {'django', 'rest_framework', 'summaries', 'google', 'pandas', 'mindinsight.config'}\n"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
