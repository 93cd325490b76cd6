"""Finds the account that owns the other end of a TCP connection within this machine. Called by `peers.py`.

Linux has two ways. `sock_diag(7)` looks up one connection and takes some microseconds. `/proc/net/tcp` (`proc(5)`)
lists all connections and takes milliseconds. It is used where the first way is forbidden.
"""

from __future__ import annotations

import errno
import ipaddress
import socket
import struct
from collections.abc import Iterable
from pathlib import Path

Address = tuple[str, int]

_TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_SOCK_DIAG = 4
_BY_FAMILY = 20
_REQUEST = 1
_ALL = 0xFFFFFFFF
_ANSWER_BYTES = 8192
_TIMEOUT_S = 1.0
_MAPPED = bytes(10) + b"\xff\xff"
# `struct nlmsghdr`, `struct inet_diag_req_v2` and `struct inet_diag_msg` up to the inode (linux/inet_diag.h).
_HEADER = struct.Struct("=IHHII")
_QUESTION = struct.Struct("=BBBxI")
_CONNECTION = struct.Struct("!HH16s16s")
_ANY_COOKIE = struct.pack("=III", 0, _ALL, _ALL)
_ANSWER = struct.Struct("=BBBB36s12xIIIII")

# ESTABLISHED, FIN_WAIT1, FIN_WAIT2 and CLOSE_WAIT. In other states a socket is being opened, listens, or is closed.
_OWNED_STATES = frozenset({1, 4, 5, 8})


def ask_kernel(client: Address, server: Address) -> int | None:
    """Returns the user ID that owns the client's end of a connection, by `sock_diag`.

    Args:
        client: IP address and port of the client's end.
        server: IP address and port of this process's end.

    Returns:
        The user ID in this process's user namespace. None if this network namespace has no such connection, or its
        client has closed it.

    Raises:
        OSError: the kernel does not answer such requests here.
        ValueError: an address is not an IP address.
    """
    family, client_end, server_end = _ends(client, server)
    connection = _CONNECTION.pack(client[1], server[1], client_end, server_end)
    question = _QUESTION.pack(family, socket.IPPROTO_TCP, 0, _ALL) + connection + _ANY_COOKIE
    with socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC, _SOCK_DIAG) as link:
        link.settimeout(_TIMEOUT_S)
        link.sendto(_HEADER.pack(_HEADER.size + len(question), _BY_FAMILY, _REQUEST, 1, 0) + question, (0, 0))
        answer = link.recv(_ANSWER_BYTES)
    if len(answer) < _HEADER.size + _ANSWER.size or _HEADER.unpack_from(answer)[1] != _BY_FAMILY:
        _raise_refusal(answer)
        return None
    _, state, _, _, ends, _, _, _, user, inode = _ANSWER.unpack_from(answer, _HEADER.size)
    # If the client's own socket is gone, the kernel returns a socket that listens on the client's port.
    is_client = ends in [_CONNECTION.pack(client[1], server[1], *pair) for pair in _spellings(client_end, server_end)]
    return int(user) if is_client and state in _OWNED_STATES and inode != 0 else None


def _spellings(client: bytes, server: bytes) -> list[tuple[bytes, bytes]]:
    """Both addresses in the forms that the kernel may use: an IPv6 socket shows IPv4 addresses as mapped ones."""
    plain = (client, server)
    return [plain, (_MAPPED + client, _MAPPED + server)] if len(client) == 4 else [plain]


def _raise_refusal(answer: bytes) -> None:
    """Raises the kernel's error, unless it says that there is no such connection."""
    number = -int(struct.unpack_from("=i", answer, _HEADER.size)[0]) if len(answer) >= _HEADER.size + 4 else 0
    if number != errno.ENOENT:
        raise OSError(number, "sock_diag refuses")


def _ends(client: Address, server: Address) -> tuple[socket.AddressFamily, bytes, bytes]:
    """Returns the family and both addresses. An IPv4 address in IPv6 form counts as IPv4."""
    ends = [plain(address) for address, _ in (client, server)]
    family = socket.AF_INET if ends[0].version == 4 else socket.AF_INET6
    return family, ends[0].packed, ends[1].packed


def plain(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """Returns an address without its zone. An IPv4 address in IPv6 form becomes IPv4.

    Raises:
        ValueError: it is not an IP address.
    """
    parsed = ipaddress.ip_address(address.partition("%")[0])
    return getattr(parsed, "ipv4_mapped", None) or parsed


def find_in_tables(client: Address, server: Address) -> int | None:
    """Returns the same as `ask_kernel`, by `/proc/net/tcp` and `/proc/net/tcp6`.

    Args:
        client: IP address and port of the client's end.
        server: IP address and port of this process's end.

    Raises:
        OSError: the tables cannot be read.
        ValueError: an address is not an IP address.
    """
    _, client_end, server_end = _ends(client, server)
    wanted = {
        (_as_listed(client_spelling, client[1]), _as_listed(server_spelling, server[1]))
        for client_spelling, server_spelling in _spellings(client_end, server_end)
    }
    for table in _TABLES:
        with table.open(encoding="ascii") as rows:
            found = _find_row(rows, wanted)
        if found is not None:
            return found
    return None


def _as_listed(address: bytes, port: int) -> str:
    """An end in the tables' form: hexadecimal words of the address in the machine's byte order, and the port."""
    return "".join(f"{word:08X}" for (word,) in struct.iter_unpack("=I", address)) + f":{port:04X}"


def _find_row(rows: Iterable[str], wanted: set[tuple[str, str]]) -> int | None:
    next(iter(rows), None)  # the header line
    for row in rows:
        fields = row.split()
        if (fields[1], fields[2]) in wanted and int(fields[3], 16) in _OWNED_STATES and fields[9] != "0":
            return int(fields[7])
    return None
