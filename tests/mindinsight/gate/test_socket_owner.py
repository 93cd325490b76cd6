"""The owner of the other end of a connection, according to the kernel, in both ways, for real connections."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import pytest

from mindinsight.gate.socket_owner import Address, ask_kernel, find_in_tables

Lookup = Callable[[Address, Address], int | None]
OTHER_USER = 65533
# Becomes another account, connects, says so, and waits until it is told to end. It imports first: the interpreter may
# lie where other accounts cannot read.
CLIENT = """
import os, socket, sys
host, port, user = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
os.setgroups([])
os.setgid(user)
os.setuid(user)
connection = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
connection.connect((host, port))
print("connected", flush=True)
sys.stdin.read()
"""

pytestmark = pytest.mark.parametrize("lookup", [ask_kernel, find_in_tables], ids=["sock_diag", "tables"])
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can run a program as another user")


@contextmanager
def listening(host: str, family: socket.AddressFamily) -> Iterator[socket.socket]:
    try:
        listener = socket.create_server((host, 0), family=family, dualstack_ipv6=host == "::")
    except OSError as error:
        pytest.skip(f"this machine cannot listen on {host}: {error.strerror}")
    with closing(listener):
        yield listener


@contextmanager
def connected(listener: socket.socket, host: str) -> Iterator[tuple[socket.socket, Address, Address]]:
    """A connection of this process: its client, and both addresses as the server sees them."""
    with socket.create_connection((host, listener.getsockname()[1])) as client:
        accepted, _ = listener.accept()
        with closing(accepted):
            yield client, accepted.getpeername()[:2], accepted.getsockname()[:2]


@pytest.mark.parametrize(
    ("listens", "family", "calls"),
    [
        ("127.0.0.1", socket.AF_INET, "127.0.0.1"),
        ("127.0.0.1", socket.AF_INET, "127.0.0.7"),
        ("::1", socket.AF_INET6, "::1"),
        ("::", socket.AF_INET6, "127.0.0.1"),
    ],
)
def test_an_own_connection_is_told(lookup: Lookup, listens: str, family: socket.AddressFamily, calls: str) -> None:
    if calls == "127.0.0.7":
        listens = "0.0.0.0"
    with listening(listens, family) as listener, connected(listener, calls) as (_, client, server):
        assert lookup(client, server) == os.geteuid()


def test_a_client_that_speaks_ipv6_to_an_ipv4_address_is_told(lookup: Lookup) -> None:
    with listening("127.0.0.1", socket.AF_INET) as listener, socket.socket(socket.AF_INET6) as client:
        client.connect(("::ffff:127.0.0.1", listener.getsockname()[1]))
        accepted, address = listener.accept()
        with closing(accepted):
            assert lookup(address, accepted.getsockname()) == os.geteuid()


def test_a_client_that_has_closed_belongs_to_nobody(lookup: Lookup) -> None:
    with listening("127.0.0.1", socket.AF_INET) as listener, connected(listener, "127.0.0.1") as (opened, *ends):
        opened.shutdown(socket.SHUT_WR)
        assert lookup(*ends) == os.geteuid()
        opened.close()
        assert lookup(*ends) is None


def test_a_port_on_which_somebody_listens_is_no_client(lookup: Lookup) -> None:
    with listening("127.0.0.1", socket.AF_INET) as server, listening("127.0.0.1", socket.AF_INET) as other:
        assert lookup(other.getsockname(), server.getsockname()) is None


def test_a_port_that_nobody_has_is_no_client(lookup: Lookup) -> None:
    with listening("127.0.0.1", socket.AF_INET) as server:
        assert lookup(("127.0.0.1", 1), server.getsockname()) is None


@needs_root
@pytest.mark.parametrize(("host", "family"), [("127.0.0.1", socket.AF_INET), ("::1", socket.AF_INET6)])
def test_the_connection_of_another_account_is_told(lookup: Lookup, host: str, family: socket.AddressFamily) -> None:
    with listening(host, family) as listener, _connection_of_another(host, listener.getsockname()[1]):
        accepted, address = listener.accept()
        with closing(accepted):
            assert lookup(address[:2], accepted.getsockname()[:2]) == OTHER_USER


@contextmanager
def _connection_of_another(host: str, port: int) -> Iterator[None]:
    """Keeps a connection of another account open."""
    command = [sys.executable, "-c", CLIENT, host, str(port), str(OTHER_USER)]
    client = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with client:
        assert client.stdout is not None
        assert client.stdout.readline() == "connected\n"
        yield
        client.communicate()
