"""The web server's listening socket, bound by the supervisor before anything else starts.

So a busy port is reported at once, and a restarted web process gets the same socket. Meanwhile browsers wait in its
queue instead of being refused.
"""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import socket
import time
from typing import Any

from mindinsight.supervisor.errors import StartError

_BACKLOG = 2048
_RETRY_S = 0.05


class PortBusyError(StartError):
    """Another process listens on the port.

    Args:
        host: the requested host.
        port: the requested port.
    """

    def __init__(self, host: str, port: int) -> None:
        holder = describe_holder(port)
        free = free_port(host, port + 1)
        super().__init__(
            f"Port {port} is in use by {holder}. Nothing was started.\n"
            f"Stop that process, or choose another port; this one is free: --port {free}"
        )


def bind_listener(host: str, port: int, patience: float = 0.0) -> socket.socket:
    """Binds and listens.

    Args:
        host: name or address.
        port: port.
        patience: the seconds to wait for a busy port, if its holder is known to be ending.

    Raises:
        PortBusyError: another process listens there.
        StartError: this machine does not have this host, or this user may not use the port.
    """
    family, address = _resolve(host, port)
    deadline = time.monotonic() + patience
    while True:
        try:
            return _listen(family, address)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise _refusal(host, port, error) from error
            if time.monotonic() >= deadline:
                raise PortBusyError(host, port) from error
        time.sleep(_RETRY_S)


def _resolve(host: str, port: int) -> tuple[socket.AddressFamily, Any]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise StartError(
            f"Cannot listen on {host!r}: {error.strerror}. Use an address of this machine, such as 127.0.0.1."
        ) from error
    # `localhost` means 127.0.0.1 to most programs that open the address.
    family, _, _, _, address = min(found, key=lambda entry: entry[0] != socket.AF_INET)
    return family, address


def _listen(family: socket.AddressFamily, address: Any) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        # Inherited by accepted sockets. The server does not recognize the socket as TCP, so it would not set it, and
        # small live messages would wait for acknowledgements.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def _refusal(host: str, port: int, error: OSError) -> StartError:
    if error.errno in (errno.EACCES, errno.EPERM) and port < 1024:
        return StartError(f"Ports below 1024 need administrator rights. Choose another, such as --port {8000 + port}.")
    if error.errno == errno.EADDRNOTAVAIL:
        return StartError(f"{host} is not an address of this machine. Use one of its own, 127.0.0.1 or 0.0.0.0.")
    return StartError(f"Cannot listen on {host}, port {port}: {error.strerror}.")


def describe_holder(port: int) -> str:
    """Describes the process that listens on a port, as far as this user may see it."""
    import psutil

    with contextlib.suppress(psutil.Error, OSError):
        for found in psutil.net_connections(kind="tcp"):
            if found.status == psutil.CONN_LISTEN and found.laddr and found.laddr.port == port and found.pid:
                return f"{psutil.Process(found.pid).name()} (pid {found.pid})"
    return "another process (of another user, so its name is not visible)"


def free_port(host: str, start: int) -> int:
    """Returns a port that nobody listens on, near `start` if possible."""
    for port in [*range(start, min(start + 50, 65536)), 0]:
        try:
            family, address = _resolve(host, port)
            with _listen(family, address) as probe:
                return int(probe.getsockname()[1])
        except OSError:
            continue
    raise StartError("This machine has no free port left.")


def is_loopback(listener: socket.socket) -> bool:
    """Returns whether only this machine can reach the listener."""
    return _ip(listener).is_loopback


def listens_everywhere(listener: socket.socket) -> bool:
    """Returns whether the listener answers on all addresses of this machine."""
    return _ip(listener).is_unspecified


def _ip(listener: socket.socket) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    return ipaddress.ip_address(str(listener.getsockname()[0]).partition("%")[0])


def local_address(listener: socket.socket) -> tuple[str, int]:
    """Returns an address at which this machine reaches the listener."""
    host, port = listener.getsockname()[:2]
    if listens_everywhere(listener):
        host = "127.0.0.1" if listener.family == socket.AF_INET else "::1"
    return str(host), int(port)


def web_address(listener: socket.socket, host: str, prefix: str) -> str:
    """Returns the address to print and to open, without a token and without a slash at its end."""
    name = _outward_address() if listens_everywhere(listener) else host
    bracketed = f"[{name}]" if ":" in name else name
    return f"http://{bracketed}:{listener.getsockname()[1]}{prefix}"


def _outward_address() -> str:
    """Returns the address of this machine for others. Connecting a datagram socket sends nothing."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])
    return "127.0.0.1"
