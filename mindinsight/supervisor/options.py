"""The options of `mindinsight start`, and the paths that follow from them.

Made by the command line after its checks, and read by everything in this package.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class StartOptions:
    """The options of one dashboard.

    Attributes:
        base_directory: the absolute directory below which runs are searched.
        address: the address of an object store of which `base_directory` is the local copy, or None.
        workspace: the absolute directory of the user's data.
        host: name or address to listen on.
        port: port to listen on.
        prefix: path below which everything is served, `""` or `/x`.
        reload_interval: seconds between two polls of event files; 0 reads once.
        redis_url: the user's Redis, or None for an embedded one.
        require_token: whether everybody needs the token, also the account that starts the dashboard.
        log_level: level of the children's log lines, in lower case.
    """

    base_directory: Path
    workspace: Path
    host: str = "127.0.0.1"
    port: int = 8080
    prefix: str = ""
    reload_interval: float = 1.0
    redis_url: str | None = None
    require_token: bool = False
    log_level: str = "warning"
    address: str | None = None

    @property
    def source(self) -> str:
        """What the user named: the directory or the address."""
        return self.address or str(self.base_directory)

    @property
    def data_directory(self) -> Path:
        """The directory of the database and the columns of this base directory."""
        return _data_directory(self.workspace, self.source)

    @property
    def log_directory(self) -> Path:
        """The directory of the log files of this instance."""
        return self.workspace / "logs" / str(self.port)


def local_copy(workspace: Path, address: str) -> Path:
    """The directory of the local copy of an object store.

    Args:
        workspace: the absolute directory of the user's data.
        address: the store's address.
    """
    return _data_directory(workspace, address) / "mirror"


def _data_directory(workspace: Path, source: str) -> Path:
    digest = hashlib.sha256(source.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    slug = re.sub(r"[^a-z0-9]+", "-", source.rpartition("/")[2].lower()).strip("-")[:32].strip("-")
    return workspace / "bases" / f"{slug or 'base'}-{digest}"
