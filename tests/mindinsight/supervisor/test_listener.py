"""Listening sockets: refusals that say what to do, addresses that can be opened."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator

import psutil
import pytest

from mindinsight.supervisor.errors import StartError
from mindinsight.supervisor.listener import (
    PortBusyError,
    bind_listener,
    free_port,
    is_loopback,
    local_address,
    web_address,
)
from tests.dashboard import free_port as any_port


@pytest.fixture
def busy() -> Iterator[socket.socket]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener


def test_a_busy_port_names_its_holder_and_a_free_one(busy: socket.socket) -> None:
    port = busy.getsockname()[1]
    with pytest.raises(PortBusyError) as caught:
        bind_listener("127.0.0.1", port)
    message = str(caught.value)
    assert f"{psutil.Process().name()} (pid {os.getpid()})" in message
    offered = int(message.rpartition("--port ")[2])
    bind_listener("127.0.0.1", offered).close()


def test_waits_for_a_holder_that_is_about_to_end(busy: socket.socket) -> None:
    ending = threading.Timer(0.1, busy.close)
    ending.start()
    bind_listener("127.0.0.1", busy.getsockname()[1], patience=10).close()
    ending.join()


def test_a_host_of_another_machine() -> None:
    with pytest.raises(StartError, match=r"192\.0\.2\.1 is not an address of this machine"):
        bind_listener("192.0.2.1", any_port())


def test_a_host_that_nobody_knows() -> None:
    with pytest.raises(StartError, match="Cannot listen on 'no such host'"):
        bind_listener("no such host", any_port())


@pytest.mark.usefixtures("not_root")
def test_a_port_that_needs_rights() -> None:
    with pytest.raises(StartError, match="administrator rights"):
        bind_listener("127.0.0.1", 80)


def test_small_messages_are_sent_at_once() -> None:
    with (
        bind_listener("127.0.0.1", any_port()) as listener,
        socket.create_connection(listener.getsockname()),
        listener.accept()[0] as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_free_port_is_near() -> None:
    port = any_port()
    assert port <= free_port("127.0.0.1", port) < port + 50


@pytest.mark.parametrize(
    ("host", "loopback", "address", "local"),
    [
        ("127.0.0.1", True, "http://127.0.0.1:{}/x", "127.0.0.1"),
        ("localhost", True, "http://localhost:{}/x", "127.0.0.1"),
        ("::1", True, "http://[::1]:{}/x", "::1"),
        ("0.0.0.0", False, None, "127.0.0.1"),
        ("::", False, None, "::1"),
    ],
)
def test_addresses(host: str, loopback: bool, address: str | None, local: str) -> None:
    if ":" in host and not socket.has_dualstack_ipv6():
        pytest.skip("no IPv6 on this machine")
    port = any_port()
    with bind_listener(host, port) as listener:
        assert is_loopback(listener) is loopback
        assert local_address(listener) == (local, port)
        shown = web_address(listener, host, "/x")
        assert shown == address.format(port) if address else host not in shown
