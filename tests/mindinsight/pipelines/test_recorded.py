"""The data pipeline of a run through the API: figures of its records, counted by hand."""

from __future__ import annotations

import math

import pytest
from django.test import Client

from mindinsight.pipelines import recorded
from mindinsight.runs.models import Run
from summaries.schema.summary_pb2 import DataPipeline
from tests.mindinsight.published import answer

from .conftest import Record, slow_map

PATH = "/api/pipelines"
SHOW = "/api/pipelines/show"


def test_the_last_seconds_are_told_apart_from_the_whole_training(client: Client, record: Record) -> None:
    # Ten rows a second for twenty seconds, then four.
    faster = [slow_map(second) for second in range(1, 21)]
    slower = [slow_map(second) for second in range(21, 41)]
    for number, content in enumerate(slower, 1):
        for operator in content.operators:
            operator.rows = 200 + 4 * number
    run, _ = record(*faster, *slower)
    recent = answer(client, f"{SHOW}?run={run.pk}")
    assert (recent["records"], recent["seconds"], recent["span"], recent["wall_time"]) == (40, 40, 10, 140)
    assert [one["rate"] for one in recent["operators"]] == [4, 4]
    assert (recent["processors"], recent["processor"]) == (2, 0.25)
    whole = answer(client, f"{SHOW}?run={run.pk}&span=whole")
    assert (whole["span"], whole["operators"][0]["rate"]) == (40, 280 / 40)


def test_what_an_operator_did(client: Client, record: Record) -> None:
    run, _ = record(slow_map(1), slow_map(2), slow_map(3))
    shown = answer(client, f"{SHOW}?run={run.pk}")
    source, mapped = shown["operators"]
    assert (source["children"], source["queue"], source["busy"]) == ([], None, 0)
    assert mapped["where"] == "train.py:10"
    assert [mapped[name] for name in ("busy", "row_seconds", "processor")] == pytest.approx([0.98, 0.098, 0.5])
    assert mapped["queue"] == {"size": 0, "length": 16, "fill": 0, "full": 0, "empty": pytest.approx(0.9)}
    assert [(one["name"], one["share"], one["python"]) for one in mapped["costs"]] == [
        ("slow", pytest.approx(0.9), True), ("HWC2CHW", pytest.approx(0.1), False)
    ]  # fmt: skip
    assert shown["finding"]["operator"] == 1
    assert (shown["finding"]["action"], shown["finding"]["count"], shown["finding"]["gain"]) == ("workers", 2, 1.8)
    assert shown["finding"]["input_full"] is None


def test_how_long_steps_waited(client: Client, record: Record) -> None:
    run, _ = record(*(slow_map(second) for second in range(1, 13)))
    shown = answer(client, f"{SHOW}?run={run.pk}")
    assert (shown["waiting"], shown["data_bound"]) == (pytest.approx(0.4), True)
    assert shown["epochs"] == [{"epoch": 1, "steps": 120, "waiting": pytest.approx(4.8), "duration": 12}]
    # Each record has the last 64, together all.
    assert shown["steps"]["step"] == list(range(1, 121))
    assert set(shown["steps"]["waiting"]) == {0.04}


def test_the_course_of_rates_and_fills(client: Client, record: Record) -> None:
    first, second = slow_map(1), slow_map(3)
    # Of the 20 items of the second span, half met a full queue.
    second.operators[1].queue.fill[:] = [20] + [0] * 15 + [10]
    run, _ = record(first, second)
    history = answer(client, f"{SHOW}?run={run.pk}")["history"]
    assert history["seconds"] == [3]
    assert history["operators"][1] == {"rate": [10], "fill": [0.5]}
    assert history["operators"][0]["fill"] == [None]


def test_of_many_records_some_are_read_with_the_last_ones(
    client: Client, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded, "MOST_RECORDS", 5)
    run, _ = record(*(slow_map(second) for second in range(1, 102)))
    seconds = answer(client, f"{SHOW}?run={run.pk}")["history"]["seconds"]
    assert seconds == [26, 51, 76, *range(90, 102)]


def test_another_pipeline_begins_anew(client: Client, record: Record) -> None:
    other = slow_map(4)
    other.operators[1].op_type = "Batch"
    run, _ = record(slow_map(1), slow_map(2), other, slow_map(3))
    assert answer(client, f"{SHOW}?run={run.pk}")["history"]["seconds"] == []
    restarted, _ = record(slow_map(50), slow_map(1), slow_map(2), name="restarted")
    assert answer(client, f"{SHOW}?run={restarted.pk}")["history"]["seconds"] == [2]


def test_a_data_set_that_is_read_again_counts_from_zero(client: Client, record: Record) -> None:
    again = slow_map(3)
    for operator in again.operators:
        operator.rows = 7
    run, _ = record(slow_map(2), again)
    assert [one["rate"] for one in answer(client, f"{SHOW}?run={run.pk}")["operators"]] == [7, 7]


def test_of_the_whole_training_the_bottleneck_that_most_records_name(client: Client, record: Record) -> None:
    contents = [slow_map(second) for second in range(1, 7)]
    contents[-1].finding.operator = 0
    run, _ = record(*contents)
    assert answer(client, f"{SHOW}?run={run.pk}")["finding"]["operator"] == 0
    whole = answer(client, f"{SHOW}?run={run.pk}&span=whole")
    assert (whole["finding"]["operator"], whole["finding_share"]) == (1, 1)
    contents[-1].ClearField("finding")
    quiet, _ = record(*contents, name="quiet")
    assert answer(client, f"{SHOW}?run={quiet.pk}")["finding"] is None


def test_the_end_of_a_training_does_not_hide_its_workers(client: Client, record: Record) -> None:
    contents = [slow_map(second) for second in range(1, 7)]
    for content in contents:
        content.operators[1].threads = 2
    last = contents[-1]
    last.operators[1].threads = 0
    last.finding.action, last.finding.count = "none", 0
    run, _ = record(*contents)
    whole = answer(client, f"{SHOW}?run={run.pk}&span=whole")
    assert (whole["finding"]["action"], whole["finding"]["count"]) == ("workers", 2)
    assert (whole["operators"][1]["threads"], whole["operators"][1]["busy"]) == (2, pytest.approx(0.49))


def test_samples_that_were_left_out_are_named(client: Client, record: Record) -> None:
    content = slow_map(1)
    content.skipped.MergeFrom(DataPipeline.Skipped(mode="skip", count=12, messages=["a.jpg is cut"]))
    run, _ = record(content)
    skipped = answer(client, f"{SHOW}?run={run.pk}")["skipped"]
    assert skipped == {"mode": "skip", "count": 12, "messages": ["a.jpg is cut"]}


def test_runs_that_wait_are_listed_as_such(client: Client, record: Record) -> None:
    fed = slow_map(2)
    fed.epochs[0].waiting = 0.05
    fed.ClearField("finding")
    first, _ = record(slow_map(1), name="hungry")
    second, _ = record(fed, name="fed")
    rows = answer(client, PATH)["pipelines"]
    assert [(row["run"], row["data_bound"], row["bottleneck"]) for row in rows] == [
        (first.pk, True, "Map"),
        (second.pk, False, ""),
    ]
    assert [row["waiting"] for row in rows] == pytest.approx([0.4, 0.025])
    assert [row["run"] for row in answer(client, f"{PATH}?runs={second.pk}")["pipelines"]] == [second.pk]
    Run.objects.update(removed=Run.Removed.STORE)
    assert answer(client, PATH)["pipelines"] == []


def test_a_known_answer_is_not_sent_again(client: Client, record: Record) -> None:
    run, _ = record(slow_map(1))
    for path in (PATH, f"{SHOW}?run={run.pk}", f"{PATH}/files"):
        etag = client.get(path)["etag"]
        assert client.get(path, headers={"if-none-match": etag}).status_code == 304


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("", 400, "bad_parameter"),
        ("?run=1&span=now", 400, "bad_parameter"),
        ("?run=77", 404, "unknown_run"),
        ("?run=1&file=../x", 404, "file_gone"),
    ],
)
def test_questions_that_have_no_answer(client: Client, record: Record, query: str, status: int, code: str) -> None:
    run, _ = record(slow_map(1))
    query = query.replace("run=1", f"run={run.pk}")
    assert answer(client, SHOW + query, status)["code"] == code


def test_a_run_without_a_pipeline(client: Client, record: Record) -> None:
    run, _ = record()
    assert answer(client, f"{SHOW}?run={run.pk}", 404)["code"] == "no_pipeline"


def test_a_damaged_record_says_where_it_stands(client: Client, record: Record) -> None:
    run, path = record(slow_map(1))
    data = bytearray(path.read_bytes())
    data[data.rindex(b"train.py:10")] ^= 1
    path.write_bytes(data)
    refused = answer(client, f"{SHOW}?run={run.pk}", 404)
    assert (refused["code"], refused["detail"]["file"]) == ("record_damaged", f"run/{path.name}")
    (row,) = answer(client, PATH)["pipelines"]
    assert row["error"]["code"] == "record_damaged"
    path.unlink()
    assert answer(client, f"{SHOW}?run={run.pk}", 404)["code"] == "file_gone"


def _no_tree(content: DataPipeline) -> None:
    content.operators[1].children[:] = [1]


def _two_roots(content: DataPipeline) -> None:
    content.operators[1].ClearField("children")


def _nan(content: DataPipeline) -> None:
    content.operators[1].queue.take_wait = math.nan


def _negative(content: DataPipeline) -> None:
    content.epochs[0].duration = -1


def _nowhere(content: DataPipeline) -> None:
    content.finding.operator = 9


@pytest.mark.parametrize("spoil", [_no_tree, _two_roots, _nan, _negative, _nowhere])
def test_records_that_no_training_writes_are_refused(client: Client, record: Record, spoil: object) -> None:
    content = slow_map(1)
    assert callable(spoil)
    spoil(content)
    run, _ = record(content)
    assert answer(client, f"{SHOW}?run={run.pk}", 404)["code"] == "record_damaged"
