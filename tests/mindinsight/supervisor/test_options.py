"""Consequences of the user's options: paths, token, the children's environment."""

from __future__ import annotations

import os
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mindinsight.supervisor.access_token import read_or_create_token
from mindinsight.supervisor.children.commands import child_environment, web_command
from mindinsight.supervisor.options import StartOptions


def options(base: str = "/data/My Runs!", **more: object) -> StartOptions:
    return StartOptions(Path(base), Path("/home/me/mindinsight"), **more)  # type: ignore[arg-type]


def test_each_base_directory_has_data_of_its_own() -> None:
    first = options().data_directory
    assert first.parent == Path("/home/me/mindinsight/bases")
    assert first.name.startswith("my-runs-")
    assert first == options().data_directory
    assert first != options("/elsewhere/My Runs!").data_directory


@pytest.mark.parametrize("base", ["/", "/データ", "/" + "x" * 200])
def test_any_name_makes_a_short_directory_name(base: str) -> None:
    name = options(base).data_directory.name
    assert name.isascii()
    assert len(name) <= 41


def test_children_are_told_everything() -> None:
    told = child_environment(options(prefix="/x", port=9000, reload_interval=0.5), "unix:///r.sock", require_token=True)
    expected = {
        "DJANGO_SETTINGS_MODULE": "mindinsight.config.settings",
        "MINDINSIGHT_SUMMARY_BASE_DIR": "/data/My Runs!",
        "MINDINSIGHT_WORKSPACE": "/home/me/mindinsight",
        "MINDINSIGHT_REDIS_URL": "unix:///r.sock",
        "MINDINSIGHT_HOST": "127.0.0.1",
        "MINDINSIGHT_PORT": "9000",
        "MINDINSIGHT_URL_PATH_PREFIX": "/x",
        "MINDINSIGHT_RELOAD_INTERVAL": "0.5",
        "MINDINSIGHT_TOKEN_FILE": "/home/me/mindinsight/token",
        "MINDINSIGHT_REQUIRE_TOKEN": "1",
        "MINDINSIGHT_LOG": "warning",
    }
    assert expected.items() <= told.items()
    assert told["PATH"] == os.environ["PATH"]


def test_users_files_cannot_take_the_place_of_modules() -> None:
    arguments = web_command(options(), {}, 5).arguments
    assert list(arguments[:3]) == [sys.executable, "-P", "-m"]


def test_the_token_is_made_once_for_its_owner_only(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        tokens = set(pool.map(lambda _: read_or_create_token(tmp_path), range(8)))
    assert len(tokens) == 1
    assert len(tokens.pop()) >= 32
    assert [path.name for path in tmp_path.iterdir()] == ["token"]
    assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600


def test_an_empty_token_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "token").touch()
    assert read_or_create_token(tmp_path)


def test_a_token_that_others_can_read_is_closed(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("abc\n")
    (tmp_path / "token").chmod(0o644)
    assert read_or_create_token(tmp_path) == "abc"
    assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600
