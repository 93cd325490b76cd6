"""The API of profiles, with the task done here instead of in a worker."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.test import Client

from mindinsight.api import task_queue
from mindinsight.environment import Environment
from mindinsight.profiles import tasks
from mindinsight.profiles.columns.window import HEADER
from mindinsight.profiles.models import Profile
from mindinsight.runs.models import Run
from tests.mindinsight.profiles.cases import read_bytes

pytestmark = pytest.mark.django_db

EVENTS = [
    {"ph": "X", "name": "ProfilerStep#3", "pid": 1, "tid": 1, "ts": 0, "dur": 100},
    {"ph": "X", "name": "aten::mul", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 10, "dur": 20, "args": {"Ev Idx": 5}},
    {"ph": "X", "name": "aten::mul", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 40, "dur": 30.5},
    {"ph": "X", "name": "=HYPERLINK()", "pid": 1, "tid": 2, "ts": 50, "dur": 10},
    {"ph": "C", "name": "queue", "pid": 1, "ts": 20, "args": {"fill": 3}},
]


@pytest.fixture
def trace(environment: Environment, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(task_queue, "order", lambda name, uid: tasks.read(uid))
    path = environment.base_directory / "lenet" / "logs" / "host.pt.trace.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"traceEvents": EVENTS}))
    Run.objects.create(name="lenet")
    return path


def get(client: Client, path: str, **parameters: Any) -> Any:
    response = client.get(f"/api/profiles{path}", parameters)
    return response.status_code, json.loads(response.content)


def opened(client: Client) -> str:
    (row,) = get(client, "")[1]["profiles"]
    get(client, f"/{row['id']}")
    return f"/{row['id']}"


def test_a_trace_in_a_runs_directory_is_found_and_read_once(client: Client, trace: Path) -> None:
    (row,) = get(client, "")[1]["profiles"]
    assert (row["run"], row["path"], row["state"]) == ("lenet", "lenet/logs/host.pt.trace.json", "found")
    assert get(client, f"/{row['id']}/sums")[1]["code"] == "profile_not_ready"
    get(client, f"/{row['id']}")
    _, answer = get(client, f"/{row['id']}")
    assert answer["profile"]["state"] == "done"
    assert (answer["head"]["slices"], answer["head"]["length"]) == (4, 100_000)
    assert answer["head"]["steps"] == [[3, 0, 100_000]]
    changed = Profile.objects.get().changed
    get(client, f"/{row['id']}")
    assert Profile.objects.get().changed == changed


def test_a_changed_file_is_read_again(client: Client, trace: Path, environment: Environment) -> None:
    path = opened(client)
    trace.write_text(json.dumps(EVENTS[:2]))
    os.utime(trace, ns=(1, 1))
    get(client, path)
    assert get(client, path)[1]["head"]["slices"] == 2
    columns = environment.data_directory / "profiles"
    assert len([one for one in columns.iterdir() if not one.name.startswith(".")]) == 1


def test_lost_columns_are_made_again(client: Client, trace: Path, environment: Environment) -> None:
    path = opened(client)
    for file in (environment.data_directory / "profiles").rglob("head.json"):
        file.unlink()
    get(client, path)
    assert get(client, path)[1]["head"]["slices"] == 4


def test_a_file_that_is_no_trace_says_so(client: Client, trace: Path) -> None:
    trace.write_text("<html>")
    row = get(client, opened(client))[1]["profile"]
    assert (row["state"], row["problem"]["code"]) == ("failed", "not_a_trace")
    assert "lenet/logs/host.pt.trace.json" in row["problem"]["message"]


def test_a_link_out_of_the_directory_is_not_followed(client: Client, trace: Path, tmp_path: Path) -> None:
    outside = tmp_path / "secret.trace.json"
    outside.write_text(json.dumps(EVENTS))
    trace.unlink()
    trace.symlink_to(outside)
    (row,) = get(client, "")[1]["profiles"]
    get(client, f"/{row['id']}")
    assert get(client, f"/{row['id']}")[1]["profile"]["state"] == "failed"


def test_sums_windows_and_one_slice(client: Client, trace: Path) -> None:
    path = opened(client)
    head = get(client, path)[1]["head"]
    _, answer = get(client, f"{path}/sums")
    rows = {head["names"][row["name"]][0]: row for row in answer["sums"]}
    assert (rows["aten::mul"]["count"], rows["aten::mul"]["total"]) == (2, 50_500)
    assert rows["ProfilerStep#3"]["own"] == 49_500
    assert answer["busy"] == [100_000, 10_000]
    _, half = get(client, f"{path}/sums", begin=0, end=20_000, track=0)
    assert sum(row["count"] for row in half["sums"]) == 2
    _, slice_ = get(client, f"{path}/slice", row=1)
    assert slice_["arguments"] == {"Ev Idx": 5}
    assert [one["depth"] for one in slice_["around"]] == [0, 1]
    response = client.get(f"/api/profiles{path}/slices")
    assert HEADER.unpack_from(response.content)[1] == 4
    again = client.get(f"/api/profiles{path}/slices", headers={"If-None-Match": response["ETag"]})
    assert again.status_code == 304
    assert get(client, f"{path}/counter", counter=0)[1] == {"points": [[20_000, 3, 3]]}


def test_search_goes_forward_back_and_around(client: Client, trace: Path) -> None:
    path = f"{opened(client)}/find"
    _, first = get(client, path, text="MUL")
    assert (first["count"], first["slice"]["start"]) == (2, 10_000)
    assert get(client, path, text="mul", after=10_001)[1]["slice"]["start"] == 40_000
    assert get(client, path, text="mul", after=40_001)[1]["slice"]["start"] == 10_000
    assert get(client, path, text="mul", after=40_000, back=True)[1]["slice"]["start"] == 10_000
    assert get(client, path, text="none")[1] == {"slice": None, "count": 0}


@pytest.mark.parametrize(
    ("address", "parameters", "code"),
    [
        ("slice", {"row": 4}, "slice_not_found"),
        ("counter", {"counter": 1}, "counter_not_found"),
        ("sums", {"track": 2}, "track_not_found"),
        ("slices", {"begin": 5, "end": 5}, "bad_parameter"),
        ("slices", {"pixels": 0}, "bad_parameter"),
    ],
)
def test_what_does_not_exist_is_refused(
    client: Client, trace: Path, address: str, parameters: dict[str, Any], code: str
) -> None:
    assert get(client, f"{opened(client)}/{address}", **parameters)[1]["code"] == code


def test_an_exported_trace_has_the_same_slices(client: Client, trace: Path) -> None:
    async def body(response: Any) -> bytes:
        return b"".join([piece async for piece in response.streaming_content])

    path = f"/api/profiles{opened(client)}/file"
    again = read_bytes(async_to_sync(body)(client.get(path)))
    whole = read_bytes(trace.read_bytes())
    for one in (again, whole):
        assert sorted(zip([one.names[n] for n in one.name], one.start, one.duration, strict=True)) == [
            (("=HYPERLINK()", ""), 50_000, 10_000),
            (("ProfilerStep#3", ""), 0, 100_000),
            (("aten::mul", "cpu_op"), 10_000, 20_000),
            (("aten::mul", "cpu_op"), 40_000, 30_500),
        ]
    table = async_to_sync(body)(client.get(path, {"format": "csv"})).decode().splitlines()
    assert len(table) == 5
    assert table[2] == "1,1,aten::mul,cpu_op,,1,10000,20000"


def test_what_a_profile_means(client: Client, trace: Path) -> None:
    path = opened(client)
    _, overview = get(client, f"{path}/overview")
    (step,) = overview["steps"]
    assert (overview["marked"], step["number"], step["duration"]) == (True, 3, 100_000)
    assert step["running"] == 50_500  # From 10 to 30 and from 40 to 70.5 us; the other thread runs at the same time.
    _, graph = get(client, f"{path}/flame", track=0)
    assert [(node["depth"], node["count"], node["total"]) for node in graph["nodes"]] == [
        (0, 2, 50_500),
    ]
    assert get(client, f"{path}/memory")[1] == {"peaks": [], "names": {}}
    uid = path.strip("/")
    _, ranks = get(client, "/ranks", profiles=f"{uid},{uid}")
    assert [one["id"] for one in ranks["ranks"]] == [uid, uid]
    assert ranks["stragglers"] == [{"number": 3, "rank": None, "lead": 0}]
    assert get(client, "/ranks", profiles="0" * 32)[1]["code"] == "profile_not_found"
