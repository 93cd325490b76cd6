"""When a dashboard counts as serving everything: not before all of it is there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from benchmarks.measuring.asking import Connection, json_or_none
from benchmarks.measuring.data_sets import DataSet
from benchmarks.measuring.serving import ours_serves, tensorboard_serves

pytestmark = pytest.mark.smoke
DATA = DataSet(Path("nowhere"), 2, ["a", "b"], 100)


@contextmanager
def answering(answers: dict[str, Any]) -> Iterator[str]:
    """A server whose answers are JSON by path."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            found = answers.get(self.path)
            body = json.dumps(found).encode()
            self.send_response(200 if found is not None else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_ours_serves_when_every_series_has_all_its_points() -> None:
    answers: dict[str, Any] = {}
    with answering(answers) as address:
        served = ours_serves(address, DATA)
        seen = [served()]
        for last, every in (
            ([], []),
            ([100], [100, 100, 100]),
            ([100, 100], [100, 100, 100]),
            ([100, 100], [100, 100, 99, 100]),
            ([100, 100], [100, 100, 100, 100]),
        ):
            answers["/api/scalars/series?runs=2"], answers["/api/scalars/series"] = {"count": last}, {"count": every}
            seen.append(served())
    assert seen == [False, False, False, False, False, True]


def test_distributions_are_counted_by_tags() -> None:
    rows = {"tags": [{"name": name, "series": [{"count": 100}] * 2} for name in DATA.tags]}
    last = {"tags": [{"name": name, "series": [{"count": 100}]} for name in DATA.tags]}
    answers = {"/api/distributions/tags?runs=2": last, "/api/distributions/tags": rows}
    with answering(answers) as address:
        assert ours_serves(address, DATA, "distributions")()


def test_tensorboard_serves_when_the_last_tag_of_the_last_run_has_its_last_step() -> None:
    points = "/data/plugin/scalars/scalars?run=run_0001&tag=b"
    answers: dict[str, Any] = {}
    with answering(answers) as address:
        served = tensorboard_serves(address, DATA)
        seen = [served()]
        answers["/data/plugin/scalars/tags"] = {"run_0000": {"a": {}, "b": {}}, "run_0001": {"a": {}}}
        seen.append(served())
        answers["/data/plugin/scalars/tags"]["run_0001"]["b"] = {}
        seen.append(served())
        for rows in ([], [[0.0, 99, 1.0]], [[0.0, 99, 1.0], [0.0, 100, 1.0]]):
            answers[points] = rows
            seen.append(served())
    assert seen == [False, False, False, False, False, True]


def test_nobody_there_is_no_answer() -> None:
    with answering({}) as address:
        pass
    assert json_or_none(f"{address}/x") is None


def test_another_answer_than_expected_is_not_timed() -> None:
    with answering({"/there": {}}) as address:
        connection = Connection(address)
        assert connection.seconds("/there") > 0
        with pytest.raises(ValueError, match="404 instead of 200"):
            connection.seconds("/gone")
        connection.close()
