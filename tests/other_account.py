"""Requests of another account of this machine, by a program that drops its privileges.

with OtherAccount() as other:
    status, body = other.ask(dashboard.port, "/api/runs")
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from types import TracebackType

import pytest

USER = 65533
# All imports come first: the interpreter may lie where other accounts cannot read.
_PROGRAM = """
import encodings.idna, http.client, json, os, sys
user = int(sys.argv[1])
os.setgroups([])
os.setgid(user)
os.setuid(user)
for line in sys.stdin:
    host, port, method, path, headers, body = json.loads(line)
    connection = http.client.HTTPConnection(host, port, timeout=20)
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    content = b"" if answer.status == 101 else answer.read()
    connection.close()
    print(json.dumps([answer.status, content.decode("latin-1")]), flush=True)
"""

needs_other_account = pytest.mark.skipif(os.geteuid() != 0, reason="only root can run a program as another account")
_OPENING = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "c2l4dGVlbiBieXRlcyEhIQ==",
}


class OtherAccount:
    """A program of another account, which ends with its `with` block."""

    def __enter__(self) -> OtherAccount:
        command = [sys.executable, "-c", _PROGRAM, str(USER)]
        self._program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._program.communicate()

    def ask(
        self,
        port: int,
        path: str,
        headers: Mapping[str, str] | None = None,
        method: str = "GET",
        body: str | None = None,
        host: str = "127.0.0.1",
    ) -> tuple[int, bytes]:
        """Sends a request; returns status and body."""
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        print(json.dumps([host, port, method, path, dict(headers or {}), body]), file=self._program.stdin, flush=True)
        status, content = json.loads(self._program.stdout.readline())
        return int(status), str(content).encode("latin-1")

    def opens_socket(self, port: int, path: str, headers: Mapping[str, str] | None = None) -> bool:
        """Returns whether a WebSocket is opened."""
        return self.ask(port, path, {**_OPENING, **(headers or {})})[0] == 101
