"""Unneeded modules are not imported, and apps only on request."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mindinsight.supervisor.children.commands import redis_command
from mindinsight.supervisor.redis_server import find_server

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What a fresh process says of itself, line by line."""
    program = """
import sys
from mindinsight.config.django_setup import set_up
set_up()
from django.urls import resolve
def loaded(*names): print(*[name for name in names if name in sys.modules])
resolve("/api/scalars/tags")
loaded("rest_framework.views", "mindinsight.scalars.api", "mindinsight.graphs.urls", "mindinsight.runs.api.runs")
loaded("yaml", "uritemplate", "requests", "markdown", "pygments",
       "django.contrib.postgres", "django.contrib.admin", "django.contrib.admindocs")
resolve("/api/graphs/substructures")
loaded("mindinsight.graphs.urls", "mindinsight.runs.api.runs")
from mindinsight.config.description import Description
print(sorted(Description().get_schema(public=True)["paths"])[0])
from django.contrib.admindocs.views import simplify_regex
print(simplify_regex(r"^a/(?P<b>[0-9]+)$"))
"""
    environment = os.environ | {
        "MINDINSIGHT_SUMMARY_BASE_DIR": str(tmp_path_factory.mktemp("base")),
        "MINDINSIGHT_DATA_DIR": str(tmp_path_factory.mktemp("data")),
        "MINDINSIGHT_SECRET_KEY": "unused",
    }
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


REDIS = """
import sys
from mindinsight.config.lean import import_redis
import_redis()
beside = ("redis.cluster", "redis.asyncio.cluster", "redis.commands.search")
print(*[name for name in beside if name in sys.modules])
import asyncio, redis, redis.asyncio, redis.cluster
server = dict(unix_socket_path=sys.argv[1], decode_responses=True)
redis.Redis(**server).set("loss", "0.5")
async def ask():
    async with redis.asyncio.Redis(**server) as there:
        return await there.get("loss")
print(asyncio.run(ask()))
print(redis.cluster.RedisCluster.__module__, hasattr(redis.cluster.RedisCluster, "get_nodes"))
"""


@pytest.fixture
def redis_socket(tmp_path: Path) -> Iterator[Path]:
    """The socket of a Redis of this test's own."""
    socket = tmp_path / "redis.sock"
    command = redis_command(find_server(), socket)
    with subprocess.Popen(command.arguments, cwd=command.directory) as server:
        ends = time.monotonic() + 10
        while not socket.exists() and time.monotonic() < ends:
            time.sleep(0.01)
        yield socket
        server.terminate()


def test_the_client_of_redis_works_without_what_comes_with_it(redis_socket: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", REDIS, str(redis_socket)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["", "0.5", "redis.cluster True"]


UVICORN = """
import sys
from mindinsight.config.lean import import_uvicorn
import_uvicorn()
print("watchfiles" in sys.modules, "multiprocessing.connection" in sys.modules)
import uvicorn
print(uvicorn.Server(uvicorn.Config("mindinsight.config.asgi:application", port=1)).started)
import uvicorn.supervisors
print(uvicorn.supervisors.Multiprocess.__module__)
"""


def test_the_web_server_is_imported_without_what_starts_and_reloads_it() -> None:
    done = subprocess.run([sys.executable, "-c", UVICORN], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["False False", "False", "uvicorn.supervisors.multiprocess"]


LATER = """
import sys
from mindinsight.config.django_setup import set_up
set_up()
unused = ("django.core.mail.message", "django.forms.forms", "django.template.base", "django.urls.base")
print([name for name in unused if name in sys.modules])
from mindinsight.runs.models import Run
print(type(Run._meta.get_field("opened").formfield()).__name__)
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("SELECT 1")
print("sqlparse.sql" in sys.modules)
print(list(connection.ops.prepare_sql_script("SELECT 1; SELECT 2;")))
print("sqlparse.sql" in sys.modules)
"""


def test_what_is_hardly_ever_used_is_imported_when_it_is(tmp_path: Path) -> None:
    environment = os.environ | {
        "MINDINSIGHT_SUMMARY_BASE_DIR": str(tmp_path),
        "MINDINSIGHT_DATABASE_URL": "sqlite://:memory:",
        "MINDINSIGHT_SECRET_KEY": "unused",
    }
    done = subprocess.run(
        [sys.executable, "-c", LATER], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["[]", "FloatField", "False", "['SELECT 1;', 'SELECT 2;']", "True"]


def test_a_question_imports_its_own_app_alone(said: list[str]) -> None:
    assert said[0].split() == ["rest_framework.views", "mindinsight.scalars.api"]
    assert said[2].split() == ["mindinsight.graphs.urls"]


def test_rest_framework_brings_nothing_that_it_only_probes_for(said: list[str]) -> None:
    assert said[1] == ""


def test_the_description_is_made_with_what_was_left_out(said: list[str]) -> None:
    assert said[3].startswith("/api/")
    assert said[4] == "/a/<b>"


def test_celery_brings_nothing_that_it_only_probes_for(tmp_path: Path) -> None:
    program = """
import sys
from mindinsight.config.celery import application
import celery.apps.worker, celery.worker, kombu.transport.redis
print(*[name for name in ("yaml", "psutil") if name in sys.modules])
import yaml, psutil
"""
    environment = os.environ | {
        "MINDINSIGHT_SUMMARY_BASE_DIR": str(tmp_path),
        "MINDINSIGHT_DATA_DIR": str(tmp_path / "data"),
        "MINDINSIGHT_SECRET_KEY": "unused",
    }
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == ""
