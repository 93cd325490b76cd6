"""The whole web side below a prefix, in a process of its own because the prefix is read at import."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

PROBE = """
import asyncio, json, os, sys
import httpx
from mindinsight.config.asgi import application

async def main():
    answers = {}
    transport = httpx.ASGITransport(application)
    shown = {"Authorization": "Bearer " + os.environ["SHOWN"]}
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080", headers=shown) as client:
        for path in sys.argv[1:]:
            answer = await client.get(path)
            answers[path] = [answer.status_code, answer.headers.get("location"),
                             answer.headers.get("content-type", ""), answer.text[:4000]]
    print(json.dumps(answers))

asyncio.run(main())
"""


REBUILDING = """
import asyncio, json, os, shutil, sys
from pathlib import Path
import httpx
from mindinsight.config.django_setup import set_up
set_up()
from django.conf import settings
dist = Path(sys.argv[1])
settings.FRONTEND_DIRECTORY = dist

def build(number):
    shutil.rmtree(dist, ignore_errors=True)
    if number:
        (dist / "assets").mkdir(parents=True)
        (dist / "assets" / f"index-{number}2345678.js").write_text(f"built {number}")
        (dist / "favicon.svg").write_text("x" * number)
        (dist / "index.html").write_text(f"<html><head><base href=\\"/\\"></head>built {number}")
        os.utime(dist / "index.html", (number, number))  # However quick the test is.

build(1)
from mindinsight.config.asgi import application

async def main():
    answers = []
    transport = httpx.ASGITransport(application)
    shown = {"Authorization": "Bearer " + os.environ["SHOWN"]}
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080", headers=shown) as client:
        for number in (1, 2, 0, 3):
            build(number)
            for path in ("/", "/assets/index-12345678.js", f"/assets/index-{number}2345678.js", "/favicon.svg"):
                answer = await client.get(path)
                answers.append([answer.status_code, answer.text[-7:] if answer.status_code == 200 else ""])
    print(json.dumps(answers))

asyncio.run(main())
"""


def ask(tmp_path: Path, prefix: str, *paths: str) -> dict[str, list[str | int | None]]:
    """Asks a web side that is served below `prefix`."""
    return dict(probe(tmp_path, prefix, PROBE, *paths))


def probe(tmp_path: Path, prefix: str, script: str, *arguments: str) -> Any:
    """Runs a script against its own web server, and returns its output."""
    token = tmp_path / "token"
    token.write_text("letmein")
    environment = {
        **os.environ,
        "SHOWN": token.read_text(),
        "MINDINSIGHT_TOKEN_FILE": str(token),
        "MINDINSIGHT_URL_PATH_PREFIX": prefix,
        "MINDINSIGHT_WORKSPACE": str(tmp_path),
        "MINDINSIGHT_DATA_DIR": str(tmp_path / "data"),
        "DJANGO_SETTINGS_MODULE": "mindinsight.config.settings",
    }
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_outside_the_prefix_there_is_nothing(tmp_path: Path) -> None:
    answers = ask(
        tmp_path, "/team/x", "/", "/api/runs", "/team", "/team/xy", "/healthz", "/team/x?a=1", "/team/x/healthz"
    )
    assert [answers[path][0] for path in ("/", "/api/runs", "/team", "/team/xy", "/healthz")] == [404] * 5
    assert answers["/team/x?a=1"][:2] == [308, "/team/x/?a=1"]
    assert answers["/team/x/healthz"][0] == 200


def test_the_interactive_page_finds_its_files(tmp_path: Path) -> None:
    for prefix in ("", "/x"):
        page = str(ask(tmp_path, prefix, f"{prefix}/api/docs/")[f"{prefix}/api/docs/"][3])
        files = re.findall(r'(?:src|href)="([^"]+)"', page)
        assert len(files) == 5
        answers = ask(tmp_path, prefix, *(file.replace("&amp;", "&") for file in files))
        assert all(answer[0] == 200 for answer in answers.values()), answers
        kinds = {str(answer[2]).split(";")[0].rpartition("/")[2] for answer in answers.values()}
        assert kinds == {"png", "css", "javascript"}


def test_a_new_build_of_the_front_end_is_served_without_a_new_start(tmp_path: Path) -> None:
    answers = probe(tmp_path, "", REBUILDING, str(tmp_path / "dist"))
    gone = [404, ""]
    assert answers == [
        *([200, "built 1"], [200, "built 1"], [200, "built 1"], [200, "x"]),
        *([200, "built 2"], gone, [200, "built 2"], [200, "xx"]),
        *([503, ""], gone, gone, gone),
        *([200, "built 3"], gone, [200, "built 3"], [200, "xxx"]),
    ]
