"""The gate, tried from outside: foreign hosts, foreign origins, missing and wrong tokens, bodies that are too large."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from mindinsight.environment import Environment, read_or_create_secret
from mindinsight.gate.gate import Application, Gate, Receive, Scope, Send
from mindinsight.gate.peers import PEER

ADDRESS = "http://127.0.0.1:8080"
TOKEN = "a-token-of-this-workspace"


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Replaces everything behind the gate: reads the body and responds with success."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        return
    more = True
    while more:
        more = (await receive()).get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"in"})


@pytest.fixture
def local(environment: Environment, tmp_path: Path) -> Environment:
    """A dashboard on loopback with a token in its workspace."""
    token_file = tmp_path / "token"
    token_file.write_text(TOKEN)
    return dataclasses.replace(environment, token_file=token_file)


class _OwnAccount:
    """The peer of a connection that this account opened; `test_other_account.py` has real ones."""

    async def is_own_account(self) -> bool:
        return True


def gate(environment: Environment, is_own: bool) -> Application:
    """The gate, as it meets clients of its own account or of another one."""
    inner = Gate(echo, environment)

    async def connected(scope: Scope, receive: Receive, send: Send) -> None:
        await inner({**scope, "state": {PEER: _OwnAccount()} if is_own else {}}, receive, send)

    return connected


def browser(environment: Environment, is_own: bool = True) -> httpx.AsyncClient:
    """A client at the other side of the gate."""
    return httpx.AsyncClient(transport=httpx.ASGITransport(gate(environment, is_own)), base_url=ADDRESS)


async def opens(
    environment: Environment, *headers: tuple[str, str], path: str = "/ws/live", is_own: bool = True
) -> bool:
    """Whether a socket with these headers is accepted."""
    said: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        said.append(message["type"])

    all_headers: Sequence[tuple[str, str]] = [("host", "127.0.0.1:8080"), *headers]
    scope = {
        "type": "websocket",
        "path": path,
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in all_headers],
    }
    await gate(environment, is_own)(scope, receive, send)
    return said == ["websocket.accept"]


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost:8080", "[::1]:8080", "LOCALHOST:8080"])
async def test_own_hosts_pass(local: Environment, host: str) -> None:
    async with browser(local) as client:
        assert (await client.get("/api/runs", headers={"host": host})).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1:8081", "127.0.0.1", "localhost.evil.example:8080", "", "127.0.0.1:8080.evil"]
)
async def test_foreign_hosts_do_not(local: Environment, host: str) -> None:
    async with browser(local) as client:
        answer = await client.get("/api/runs", headers={"host": host})
    assert answer.status_code == 400
    assert answer.json()["code"] == "foreign_host"


async def test_a_host_that_the_environment_names_passes(local: Environment) -> None:
    behind_proxy = dataclasses.replace(local, allowed_hosts=("runs.example.org",))
    async with browser(behind_proxy) as client:
        assert (await client.get("/", headers={"host": "runs.example.org"})).status_code == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "http://127.0.0.1:8081", "https://127.0.0.1:8080", "null", "http://127.0.0.1", "file://"],
)
async def test_foreign_origins_do_not_pass(local: Environment, origin: str) -> None:
    async with browser(local) as client:
        answer = await client.get("/api/runs", headers={"origin": origin})
    assert answer.status_code == 403
    assert answer.json()["code"] == "foreign_origin"
    assert not await opens(local, ("origin", origin))


async def test_a_page_of_ours_opens_sockets(local: Environment) -> None:
    assert await opens(local, ("origin", ADDRESS))
    assert await opens(local, ("origin", "http://localhost:8080"))


async def test_a_script_opens_sockets_with_the_token_only(local: Environment) -> None:
    assert not await opens(local)
    assert not await opens(local, ("authorization", "Bearer wrong"))
    assert not await opens(local, ("authorization", f"Basic {TOKEN}"))
    assert await opens(local, ("authorization", f"Bearer {TOKEN}"))


async def test_the_token_does_not_excuse_a_foreign_origin(local: Environment) -> None:
    assert not await opens(local, ("authorization", f"Bearer {TOKEN}"), ("origin", "http://evil.example"))


async def test_changing_things_needs_an_origin_or_the_token(local: Environment) -> None:
    async with browser(local) as client:
        assert (await client.post("/api/runs")).status_code == 403
        assert (await client.post("/api/runs", headers={"origin": ADDRESS})).status_code == 200
        assert (await client.post("/api/runs", headers={"authorization": f"Bearer {TOKEN}"})).status_code == 200


async def test_the_token_is_told_to_who_has_it(local: Environment) -> None:
    async with browser(local) as client:
        assert (await client.get("/api/token")).status_code == 401
        assert (await client.get("/api/token", headers={"authorization": f"Bearer {TOKEN}"})).status_code == 200


class TestOtherAccounts:
    """On loopback, other accounts than the dashboard's own need the token."""

    async def test_nothing_without_the_token(self, local: Environment) -> None:
        async with browser(local, is_own=False) as client:
            for path in ("/", "/api/runs", "/assets/index.js", "/api/token", "/api/docs/"):
                for headers in ({}, {"origin": ADDRESS}, {"cookie": "mindinsight_8080=forged"}):
                    answer = await client.get(path, headers=headers)
                    assert answer.status_code == 401
                    assert str(local.token_file) in answer.text
                    assert TOKEN not in answer.text
            assert (await client.delete("/api/runs", headers={"origin": ADDRESS})).status_code == 401
            assert (await client.get("/healthz")).status_code == 200
        assert not await opens(local, ("origin", ADDRESS), is_own=False)

    async def test_the_token_lets_in(self, local: Environment) -> None:
        async with browser(local, is_own=False) as client:
            assert (await client.get("/api/runs", headers={"authorization": f"Bearer {TOKEN}"})).status_code == 200
            page = await client.get("/runs")
            assert "<form" in page.text
            assert (await client.post("/api/token", data={"token": TOKEN}, headers={"origin": ADDRESS})).is_success
            assert (await client.get("/runs")).status_code == 200

    @pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"])
    async def test_a_proxy_of_the_own_account_is_somebody_else(self, local: Environment, header: str) -> None:
        async with browser(local) as client:
            assert (await client.get("/api/runs", headers={header: "127.0.0.1"})).status_code == 401
        assert not await opens(local, ("origin", ADDRESS), (header.lower(), "127.0.0.1"))

    async def test_a_dashboard_without_a_token_says_how_to_give_it_one(self, local: Environment) -> None:
        async with browser(dataclasses.replace(local, token_file=None), is_own=False) as client:
            answer = await client.get("/")
        assert answer.status_code == 401
        assert "MINDINSIGHT_TOKEN_FILE" in answer.text
        assert "<form" not in answer.text


async def test_where_the_token_is_required_the_own_account_needs_it_too(local: Environment) -> None:
    strict = dataclasses.replace(local, require_token=True)
    async with browser(strict) as client:
        assert (await client.get("/api/runs")).status_code == 401
        assert (await client.get("/api/runs", headers={"authorization": f"Bearer {TOKEN}"})).status_code == 200
    assert not await opens(strict, ("origin", ADDRESS))


class TestOnAllInterfaces:
    """A dashboard that others can reach requires the token from everybody."""

    @pytest.fixture
    def open_to_all(self, local: Environment) -> Environment:
        return dataclasses.replace(local, host="0.0.0.0", require_token=True)

    async def test_nothing_without_the_token(self, open_to_all: Environment) -> None:
        async with browser(open_to_all) as client:
            for path in ("/", "/api/runs", "/assets/index.js", "/api/token", "/api/docs/"):
                assert (await client.get(path)).status_code == 401
            # A browser would ask for /favicon.ico otherwise, and be refused.
            assert 'rel="icon" href="data:' in (await client.get("/")).text
            assert (await client.get("/healthz")).status_code == 200
        assert not await opens(open_to_all, ("origin", ADDRESS))

    async def test_the_link_is_exchanged_for_a_cookie(self, open_to_all: Environment) -> None:
        async with browser(open_to_all) as client:
            answer = await client.get("/scalars", params={"token": TOKEN, "x": "step"})
            assert answer.status_code == 200
            assert 'content="0;url=/scalars?x=step"' in answer.text
            assert TOKEN not in answer.text
            cookie = answer.headers["set-cookie"]
            assert "HttpOnly" in cookie
            assert "SameSite=Strict" in cookie
            assert TOKEN not in cookie
            assert (await client.get("/api/runs")).status_code == 200
            pair = cookie.partition(";")[0]
        assert await opens(open_to_all, ("origin", ADDRESS), ("cookie", pair))
        assert not await opens(open_to_all, ("origin", "http://evil.example"), ("cookie", pair))

    @pytest.mark.parametrize("token", ["wrong", "", TOKEN[:-1], TOKEN + "x", "\N{SNOWMAN}"])
    async def test_a_wrong_link_is_refused(self, open_to_all: Environment, token: str) -> None:
        async with browser(open_to_all) as client:
            answer = await client.get("/", params={"token": token})
            assert answer.status_code in (401, 403)
            assert "set-cookie" not in answer.headers
            assert (await client.get("/", headers={"cookie": "mindinsight_8080=forged"})).status_code == 401

    async def test_the_token_can_be_pasted(self, open_to_all: Environment) -> None:
        async with browser(open_to_all) as client:
            page = await client.get("/")
            assert "<form" in page.text
            headers = {"origin": ADDRESS}
            assert (await client.post("/api/token", data={"token": "wrong"}, headers=headers)).status_code == 403
            assert (await client.post("/api/token", data={"token": TOKEN}, headers=headers)).status_code == 200
            assert (await client.get("/")).status_code == 200

    async def test_a_name_that_was_pointed_here_is_refused(self, open_to_all: Environment) -> None:
        async with browser(open_to_all) as client:
            assert (await client.get("/", headers={"host": "rebound.example:8080"})).status_code == 400
            assert (await client.get("/", headers={"host": "192.168.1.7:8080"})).status_code == 401


async def test_large_bodies_are_refused(local: Environment) -> None:
    headers = {"origin": ADDRESS}
    async with browser(local) as client:
        assert (await client.post("/api/runs", content=b"x" * (1 << 20), headers=headers)).status_code == 200
        assert (await client.post("/api/runs", content=b"x" * ((1 << 20) + 1), headers=headers)).status_code == 413

        async def chunks() -> Any:
            for _ in range(3):
                yield b"x" * (1 << 19)

        answer = await client.post("/api/runs", content=chunks(), headers=headers)
        assert answer.status_code == 413
        assert answer.json()["code"] == "body_too_large"


async def test_every_answer_carries_the_policy(local: Environment) -> None:
    async with browser(local) as client:
        for headers in ({}, {"host": "evil.example"}):
            answer = await client.get("/", headers=headers)
            policy = answer.headers["content-security-policy"]
            assert "default-src 'self'" in policy
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert "access-control-allow-origin" not in answer.headers


async def test_below_a_prefix(local: Environment) -> None:
    prefixed = dataclasses.replace(local, prefix="/x", host="0.0.0.0", require_token=True)
    async with browser(prefixed) as client:
        assert (await client.get("/x/healthz")).status_code == 200
        answer = await client.get("/x/runs", params={"token": TOKEN})
        assert 'url=/x/runs"' in answer.text
        assert "Path=/x" in answer.headers["set-cookie"]


def test_secrets_are_made_once_and_for_their_owner(tmp_path: Path) -> None:
    first = read_or_create_secret(tmp_path / "deep" / "secret")
    assert len(first) >= 48
    assert read_or_create_secret(tmp_path / "deep" / "secret") == first
    assert (tmp_path / "deep" / "secret").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["secret"]
