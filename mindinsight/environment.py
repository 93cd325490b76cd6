"""All environment variables of the dashboard, read once.

`settings` turns these into Django's settings; the supervisor sets them for its children. The list in
`docs/reference/environment.md` is tested against the names found here.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import environ

_env = environ.Env()
_POSTGRESQL = ("postgres", "postgresql", "psql", "pgsql")


@dataclass(frozen=True)
class Environment:
    """The dashboard's environment.

    Attributes:
        base_directory: directory that is searched for runs, with its subdirectories.
        summary_address: address of the object store of which `base_directory` is the local copy, or None.
        workspace: directory of this user's own files: token, secret key, logs.
        data_directory: directory of the database and the columns that belong to `base_directory`.
        redis_url: broker, channel layer and result store.
        database_url: a `sqlite:///` or `postgres://` address.
        host: address that the web server listens on.
        port: port of the web server, and of the pages' addresses.
        prefix: path below which everything is served, `""` or `/x`.
        reload_interval: seconds between two polls of event files; 0 reads once and stops.
        keep_deleted: whether runs stay, with readable files, after their files were deleted.
        trash_days: days in the trash after which a run's event files are deleted; 0 means never.
        token_file: file with the token, or None.
        require_token: whether everybody needs the token, including the account that the dashboard runs as.
        allowed_hosts: accepted `Host` values besides loopback and `host`.
        allowed_origins: further origins that may open sockets and send changes.
        log_level: level of the dashboard's own log lines.
        debug: Django's DEBUG, for work on the dashboard itself.
    """

    base_directory: Path
    summary_address: str | None
    workspace: Path
    data_directory: Path
    redis_url: str
    database_url: str
    host: str
    port: int
    prefix: str
    reload_interval: float
    keep_deleted: bool
    trash_days: float
    token_file: Path | None
    require_token: bool
    allowed_hosts: tuple[str, ...]
    allowed_origins: tuple[str, ...]
    log_level: str
    debug: bool

    @classmethod
    def read(cls) -> Environment:
        """Reads the process's environment. Every variable has a default that suits a single machine."""
        workspace = Path(_env.str("MINDINSIGHT_WORKSPACE", default="~/mindinsight")).expanduser()
        data_directory = Path(_env.str("MINDINSIGHT_DATA_DIR", default=str(workspace / "bases" / "default")))
        token_file = _env.str("MINDINSIGHT_TOKEN_FILE", default="")
        return cls(
            base_directory=Path(_env.str("MINDINSIGHT_SUMMARY_BASE_DIR", default=".")).absolute(),
            summary_address=_env.str("MINDINSIGHT_SUMMARY_ADDRESS", default="") or None,
            workspace=workspace,
            data_directory=data_directory,
            redis_url=_env.str("MINDINSIGHT_REDIS_URL", default="redis://127.0.0.1:6379/0"),
            database_url=_env.str("MINDINSIGHT_DATABASE_URL", default="")
            or f"sqlite:///{data_directory / 'dashboard.sqlite3'}",
            host=_env.str("MINDINSIGHT_HOST", default="127.0.0.1"),
            port=_env.int("MINDINSIGHT_PORT", default=8080),
            prefix=_env.str("MINDINSIGHT_URL_PATH_PREFIX", default="").rstrip("/"),
            reload_interval=_env.float("MINDINSIGHT_RELOAD_INTERVAL", default=1.0),
            keep_deleted=_env.bool("MINDINSIGHT_KEEP_DELETED", default=False),
            trash_days=_env.float("MINDINSIGHT_TRASH_DAYS", default=0.0),
            token_file=Path(token_file) if token_file else None,
            require_token=_env.bool("MINDINSIGHT_REQUIRE_TOKEN", default=False),
            allowed_hosts=tuple(_env.list("MINDINSIGHT_ALLOWED_HOSTS", default=[])),
            allowed_origins=tuple(_env.list("MINDINSIGHT_ALLOWED_ORIGINS", default=[])),
            log_level=_env.str("MINDINSIGHT_LOG", default="warning").upper(),
            debug=_env.bool("MINDINSIGHT_DEBUG", default=False),
        )

    @property
    def database_directory(self) -> Path:
        """The directory of an SQLite database, or the data directory if the database is on a server."""
        path = self.database_url.removeprefix("sqlite:///")
        return self.data_directory if path == self.database_url else Path(path).parent

    @property
    def written_directories(self) -> tuple[Path, ...]:
        """The directories that the reader and the web server write to. Without the workspace, which a container may
        lack.
        """
        return self.data_directory, self.database_directory

    def secret_key(self) -> str:
        """The key that signs cookies, from the environment or else from the workspace, where it is created at its first
        use.

        Raises:
            OSError: the workspace cannot be written.
        """
        given = _env.str("MINDINSIGHT_SECRET_KEY", default="")
        return given or read_or_create_secret(self.workspace / "secret_key")

    def token(self) -> str | None:
        """The token for clients outside a browser, or None if none is configured."""
        if self.token_file is None or not self.token_file.is_file():
            return None
        return self.token_file.read_text(encoding="ascii").strip() or None


def missing_driver(database_url: str) -> str | None:
    """Returns a sentence that names what to install for a database, or None if its driver is there.

    Args:
        database_url: as in `MINDINSIGHT_DATABASE_URL`.
    """
    scheme = database_url.partition("://")[0]
    if scheme not in _POSTGRESQL or find_spec("psycopg"):
        return None
    return "PostgreSQL needs the package psycopg, which is not installed: pip install 'mindinsight[postgres]'"


def read_or_create_secret(path: Path) -> str:
    """Returns the secret in `path`. The first process that needs it creates the file, readable by its owner only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    if not path.exists():
        try:
            draft.touch(mode=0o600)
            draft.write_text(secrets.token_urlsafe(48), encoding="ascii")
            # `link` either creates the complete file or fails because another process created it first.
            path.hardlink_to(draft)
        except FileExistsError:
            pass
        finally:
            draft.unlink(missing_ok=True)
    return path.read_text(encoding="ascii").strip()
