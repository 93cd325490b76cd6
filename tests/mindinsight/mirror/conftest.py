"""Real servers of object stores: moto's for S3, and an emulator of Google's."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import fsspec
import pytest

from mindinsight.mirror.copying import Copying, Folders
from tests.dashboard import free_port, wait_until

MakeCopying = Callable[[], Copying]


class ObjectServer:
    """A server of an object store, and a client of it.

    Attributes:
        address: the address of the summaries.
        environment: what lets a client find it.
        files: the client.
    """

    def __init__(self, scheme: str, environment: dict[str, str], files: Any) -> None:
        self.address = f"{scheme}://bucket/runs"
        self.environment = environment
        self.files = files

    def put(self, name: str, content: bytes) -> None:
        """Write an object below the address."""
        self.files.pipe_file(f"bucket/runs/{name}", content)

    def remove(self, name: str) -> None:
        """Remove an object below the address."""
        self.files.rm_file(f"bucket/runs/{name}")


@pytest.fixture(scope="module")
def s3_address() -> Iterator[str]:
    """The web address of an S3 server."""
    yield from _served("moto.server", lambda port: ["-H", "127.0.0.1", "-p", str(port)], "moto-api/")


@pytest.fixture(scope="module")
def gs_address() -> Iterator[str]:
    """The web address of a server that speaks as Google's."""
    yield from _served(
        "gcp_storage_emulator", lambda port: ["start", "--host=localhost", f"--port={port}", "--in-memory"], ""
    )


@pytest.fixture
def s3(s3_address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectServer]:
    """An S3 server with an empty bucket."""
    environment = {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": s3_address,
    }
    yield from _bucket("s3", environment, monkeypatch)


@pytest.fixture
def gs(gs_address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectServer]:
    """A server that speaks as Google's, with an empty bucket."""
    yield from _bucket(
        "gs", {"STORAGE_EMULATOR_HOST": gs_address, "GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT": "false"}, monkeypatch
    )


@pytest.fixture(params=["s3", "gs"])
def server(request: pytest.FixtureRequest) -> ObjectServer:
    """Each server."""
    found: ObjectServer = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The folder of the copied files."""
    return tmp_path / "data" / "mirror"


@pytest.fixture
def copying(server: ObjectServer, copied: Path) -> MakeCopying:
    """Makes a process's copy of the server, as a start does."""

    def make() -> Copying:
        store, root = fsspec.core.url_to_fs(server.address, use_listings_cache=False, skip_instance_cache=True)
        return Copying(store, root, server.address, Folders(copied.parent, copied))

    return make


def _served(module: str, arguments: Callable[[int], list[str]], path: str) -> Iterator[str]:
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", module, *arguments(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": ""},
    )
    try:
        wait_until(lambda: _answers(f"{address}/{path}"), 60, f"an answer of {module}")
        yield address
    finally:
        process.kill()
        process.wait()


def _answers(address: str) -> bool:
    try:
        urlopen(address, timeout=5).close()
    except URLError as error:
        return hasattr(error, "code")
    except OSError:
        return False
    return True


def _bucket(scheme: str, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectServer]:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    files = fsspec.filesystem(scheme, use_listings_cache=False, skip_instance_cache=True)
    files.mkdir("bucket")
    yield ObjectServer(scheme, environment, files)
    files.rm("bucket", recursive=True)
