"""Every library that a start leaves out works in that process as soon as somebody uses it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

WEB = """
import sys
from mindinsight.config import django_setup, lean
lean.import_uvicorn()
django_setup.set_up()
lean.import_channel_layer()
import mindinsight.config.urls
"""
WORKER = """
import sys
import mindinsight.config.celery
"""

#: By process and library: what uses it, and what that prints.
USES: dict[tuple[str, str], tuple[str, str]] = {
    (WEB, "yaml"): ("print(yaml.safe_load('a: [1, 2]'))", "{'a': [1, 2]}"),
    (WEB, "uritemplate"): ("print(uritemplate.expand('/runs/{run}', run='a b'))", "/runs/a%20b"),
    (WEB, "requests"): (
        "print(requests.Request('GET', 'http://a/', params={'tag': 'loss/a'}).prepare().url)",
        "http://a/?tag=loss%2Fa",
    ),
    (WEB, "markdown"): ("print(markdown.markdown('*loss*'))", "<p><em>loss</em></p>"),
    (WEB, "pygments"): (
        "from pygments import formatters, lexers; "
        "print(pygments.highlight('1', lexers.PythonLexer(), formatters.NullFormatter()), end='')",
        "1",
    ),
    (WEB, "django.contrib.postgres"): (
        "from django.contrib.postgres import fields; from django.db import models; "
        "print(fields.ArrayField(models.IntegerField()).to_python('[1, 2]'))",
        "[1, 2]",
    ),
    (WEB, "django.contrib.admindocs"): (
        "from django.contrib.admindocs import views; print(views.simplify_regex(r'^a/(?P<b>[0-9]+)$'))",
        "/a/<b>",
    ),
    (WEB, "redis.cluster"): ("print(redis.cluster.get_node_name('localhost', 6379))", "localhost:6379"),
    (WEB, "redis.asyncio.cluster"): (
        "print(redis.asyncio.cluster.ClusterNode('localhost', 6379).name)",
        "127.0.0.1:6379",
    ),
    (WEB, "uvicorn.supervisors"): (
        "print(uvicorn.supervisors.Multiprocess(uvicorn.Config('a:b', workers=2), sockets=[]).processes_num)",
        "2",
    ),
    (WEB, "cryptography"): (
        "from cryptography.fernet import Fernet; key = Fernet(Fernet.generate_key()); "
        "print(key.decrypt(key.encrypt(b'weights')).decode())",
        "weights",
    ),
    (WEB, "sqlparse"): ("print(sqlparse.split('SELECT 1; SELECT 2;'))", "['SELECT 1;', 'SELECT 2;']"),
    (WEB, "django.forms"): ("print(django.forms.FloatField().clean('0.5'))", "0.5"),
    (WEB, "django.core.mail"): (
        "print(django.core.mail.EmailMessage('loss', 'low', 'a@b.c', ['d@e.f']).message()['Subject'])",
        "loss",
    ),
    (WORKER, "yaml"): ("print(yaml.safe_load('a: [1, 2]'))", "{'a': [1, 2]}"),
    (WORKER, "psutil"): ("import os; print(psutil.Process().pid == os.getpid())", "True"),
}


@pytest.mark.parametrize(
    ("process", "library"), USES, ids=[f"{'web' if one is WEB else 'worker'} {name}" for one, name in USES]
)
def test_a_library_that_was_left_out_works(process: str, library: str, tmp_path: Path) -> None:
    use, printed = USES[process, library]
    program = f"{process}\nimport {library}\n{use}\n"
    environment = os.environ | {
        "MINDINSIGHT_SUMMARY_BASE_DIR": str(tmp_path),
        "MINDINSIGHT_DATABASE_URL": "sqlite://:memory:",
        "MINDINSIGHT_SECRET_KEY": "unused",
    }
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == printed
