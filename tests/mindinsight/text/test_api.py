"""Texts through the API: of our writer's files, of TensorBoard's, of files that suffered, and searched."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from mindinsight.environment import Environment
from mindinsight.runs.models import Run
from mindinsight.text import search
from mindinsight.text.decoding import MAX_CELLS
from summaries import SummaryWriter
from summaries.records import frame
from summaries.schema.summary_pb2 import Event, Text
from summaries.schema.tensorboard_pb2 import DataType
from summaries.schema.tensorboard_pb2 import Event as TensorBoardEvent
from tests.mindinsight.distributions.conftest import Take
from tests.mindinsight.distributions.test_api import payloads
from tests.mindinsight.images.pictures import tensorboard_file
from tests.mindinsight.published import answer
from tests.mindinsight.text.event_files import table

NumberOf = Callable[[str], int]
TEXTS = {0: "# first\n*words*", 10: "", 25: "第三 🙂 <script>alert(1)</script>"}


@pytest.fixture
def written(environment: Environment, take: Take) -> Path:
    """A file of our writer with three texts `x`."""
    with SummaryWriter(environment.base_directory / "a", environment=False) as writer:
        for step, text in TEXTS.items():
            writer.add_text("x", text, step, walltime=100.0 + step)
    assert writer.path is not None
    take(writer.path)
    return writer.path


@pytest.fixture
def take_table(environment: Environment, take: Take) -> Callable[..., Run]:
    """Takes a file of TensorBoard's with some events."""
    path = environment.base_directory / "tb" / "events.out.tfevents.1.host"
    return lambda *events: take(tensorboard_file(path, list(events)))


def listed(number: int, **more: int) -> str:
    return f"/api/text/list?series={number}" + "".join(f"&{name}={value}" for name, value in more.items())


def steps(number: int, **more: int) -> str:
    return listed(number, **more).replace("list", "steps")


def found(client: Client, words: str, more: str = "") -> Any:
    return answer(client, f"/api/text/search?words={quote(words)}{more}")


def test_tags(client: Client, written: Path, number_of: NumberOf) -> None:
    run = Run.objects.get()
    body = answer(client, "/api/text/tags")
    row = {"run": run.pk, "series": number_of("x"), "segment": 0, "count": 3, "first_step": 0, "last_step": 25}
    assert body["tags"] == [{"name": "x", "series": [{**row, "last_wall": None}]}]
    assert answer(client, f"/api/text/tags?runs={run.pk + 1}")["tags"] == []
    etag = client.get("/api/text/tags")["etag"]
    assert client.get("/api/text/tags", headers={"if-none-match": etag}).status_code == 304
    Run.objects.update(removed=Run.Removed.STORE)
    assert answer(client, "/api/text/tags")["tags"] == []


def test_what_was_written_comes_back(client: Client, written: Path, number_of: NumberOf) -> None:
    number = number_of("x")
    columns = {"series": number, "total": 3, "first": 0, "step": [0, 10, 25], "wall_time": [100.0, 110.0, 125.0]}
    assert answer(client, steps(number)) == columns
    body = answer(client, listed(number))
    assert (body["tag"], body["total"]) == ("x", 3)
    for index, ((step, text), row) in enumerate(zip(TEXTS.items(), body["texts"], strict=True)):
        assert row == {
            "index": index, "step": step, "wall_time": 100.0 + step, "shape": [], "cells": [text],
            "characters": len(text), "complete": True, "markdown": True, "sound": True, "error": None,
        }  # fmt: skip
    path = listed(number)
    assert client.get(path, headers={"if-none-match": client.get(path)["etag"]}).status_code == 304


def test_portions(client: Client, written: Path, number_of: NumberOf) -> None:
    number = number_of("x")
    assert answer(client, steps(number, first=1, end=2))["step"] == [10]
    assert [row["index"] for row in answer(client, listed(number, first=1))["texts"]] == [1, 2]
    assert answer(client, listed(number, first=3))["texts"] == []


def test_long_texts_are_cut_unless_all_is_wanted(
    client: Client, environment: Environment, take: Take, number_of: NumberOf
) -> None:
    text = "é" * 50_000
    with SummaryWriter(environment.base_directory / "long") as writer:
        writer.add_text("l", text, 1)
    assert writer.path is not None
    take(writer.path)
    (row,) = answer(client, listed(number_of("l")))["texts"]
    assert (row["cells"], row["characters"], row["complete"]) == (["é" * 20_000], 50_000, False)
    (row,) = answer(client, listed(number_of("l"), characters=50_000))["texts"]
    assert (row["cells"], row["complete"]) == ([text], True)


def test_what_is_not_there(client: Client, written: Path, number_of: NumberOf) -> None:
    for path in (steps(number_of("x") + 1), listed(number_of("x") + 1)):
        assert answer(client, path, 404)["code"] == "unknown_series"
    for wrong in ("/api/text/search?words=", "/api/text/search?words=a&start=1", f"/api/text/search?words={'a' * 201}"):
        assert answer(client, wrong, 400)["code"] == "bad_parameter"


def test_tables_of_strings(client: Client, take_table: Callable[..., Run], number_of: NumberOf) -> None:
    take_table(
        table("t", 1, (), b"one"),
        table("t", 2, (1,), b"two"),
        table("t", 3, (2, 2), b"a", b"b", b"c", b"d"),
        table("t", 4, (2, 2), b"a", b"b"),
        table("t", 5, (0, 3)),
        table("t", 6, (1,), b"a", b"left over"),
    )
    rows = answer(client, listed(number_of("t")))["texts"]
    assert [(row["shape"], row["cells"]) for row in rows] == [
        ([], ["one"]), ([1], ["two"]), ([2, 2], ["a", "b", "c", "d"]), ([2, 2], ["a", "b", "b", "b"]), ([0, 3], []),
        ([1], ["a"]),
    ]  # fmt: skip
    assert all(row["complete"] and row["markdown"] for row in rows)


def test_a_table_that_is_too_long(client: Client, take_table: Callable[..., Run], number_of: NumberOf) -> None:
    take_table(table("t", 1, (1 << 40, 1 << 20), b"x"), table("t", 2, (3,), b"aa", b"bb", b"cc"))
    huge, small = answer(client, listed(number_of("t"), characters=MAX_CELLS))["texts"]
    assert (huge["shape"], len(huge["cells"]), huge["complete"]) == ([1 << 40, 1 << 20], MAX_CELLS, False)
    assert small["complete"]
    cut = answer(client, listed(number_of("t"), characters=3))["texts"][1]
    assert (cut["cells"], cut["characters"], cut["complete"]) == (["aa", "b"], 6, False)


def test_bytes_that_are_no_utf8(client: Client, take_table: Callable[..., Run], number_of: NumberOf) -> None:
    take_table(table("b", 1, (), b"a\xff\xfeb"), table("b", 2, (), "�".encode()), table("b", 3, (), b"\0\x1b[31m"))
    bad, honest, control = answer(client, listed(number_of("b")))["texts"]
    assert (bad["cells"], bad["sound"]) == (["a��b"], False)
    assert (honest["cells"], honest["sound"]) == (["�"], True)
    assert (control["cells"], control["sound"]) == (["\0\x1b[31m"], True)


def test_plain_texts_and_broken_ones_of_our_own(
    client: Client, environment: Environment, take: Take, number_of: NumberOf
) -> None:
    events = [Event(wall_time=1.0, version="MindSpore.Event:1")]
    for step, form in enumerate((Text.Form.PLAIN, Text.Form.MARKDOWN)):
        event = Event(wall_time=100.0, step=step)
        event.summary.value.add(tag="p").text.MergeFrom(Text(content="x", form=form))
        events.append(event)
    path = environment.base_directory / "own" / "events.out.events.summary.1.0.x_MS"
    path.parent.mkdir()
    # The bytes of "x" become one that no UTF-8 text has.
    spoiled = events[1].SerializeToString().replace(b"\x01x", b"\x01\xff")
    path.write_bytes(b"".join(frame(one) for one in (*(event.SerializeToString() for event in events), spoiled)))
    take(path)
    plain, markdown, broken = answer(client, listed(number_of("p")))["texts"]
    assert (plain["markdown"], markdown["markdown"]) == (False, True)
    assert (broken["cells"], broken["sound"], broken["markdown"]) == (["�"], False, False)


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (table("b", 1, (1,), b"7", dtype=DataType.DT_UINT8), "not one of strings"),
        (table("b", 1, (2,)), "without any"),
        (table("b", 1, (-1,), b"7"), "negative"),
    ],
)
def test_tensors_that_are_no_texts(
    client: Client, take_table: Callable[..., Run], number_of: NumberOf, event: TensorBoardEvent, reason: str
) -> None:
    take_table(event)
    (row,) = answer(client, listed(number_of("b")))["texts"]
    assert row["error"]["code"] == "record_damaged"
    assert reason in row["error"]["message"]
    assert (row["cells"], row["complete"]) == ([], False)


def test_a_damaged_record_costs_only_its_text(
    client: Client, written: Path, environment: Environment, number_of: NumberOf
) -> None:
    data = bytearray(written.read_bytes())
    offset = sum(len(payload) + 16 for payload in payloads(written)[:2])
    data[offset + 14] ^= 1
    written.chmod(0o600)
    written.write_bytes(data)
    first, second, third = answer(client, listed(number_of("x")))["texts"]
    assert first["error"] is third["error"] is None
    assert (second["step"], second["error"]["code"]) == (10, "record_damaged")
    assert second["error"]["detail"] == {"file": str(written.relative_to(environment.base_directory)), "offset": offset}
    assert not client.get(listed(number_of("x"))).has_header("etag")
    assert found(client, "words")["unreadable"] == 1
    written.unlink()
    assert {row["error"]["code"] for row in answer(client, listed(number_of("x")))["texts"]} == {"file_gone"}


def test_words_are_found_wherever_they_stand(client: Client, written: Path, number_of: NumberOf) -> None:
    (hit,) = found(client, "SCRIPT")["hits"]
    assert (hit["tag"], hit["step"], hit["index"], hit["count"]) == ("x", 25, 2, 2)
    assert hit["excerpt"][hit["at"] : hit["at"] + hit["length"]] == "script"
    assert [one["step"] for one in found(client, "三")["hits"]] == [25]
    assert found(client, ".*") == {"hits": [], "texts": 3, "unreadable": 0, "next": None}
    run = Run.objects.get().pk
    assert found(client, "first", f"&runs={run}")["hits"][0]["run"] == run
    assert found(client, "first", f"&runs={run + 1}")["texts"] == 0


def test_a_search_goes_on_where_it_stopped(
    client: Client, environment: Environment, take: Take, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SummaryWriter(environment.base_directory / "many") as writer:
        for step in range(25):
            writer.add_text("a", f"needle {step}", step)
            writer.add_text("b", f"hay {step}", step)
    assert writer.path is not None
    take(writer.path)
    monkeypatch.setattr(search, "MAX_HITS", 7)
    monkeypatch.setattr(search, "_PORTION", 4)
    seen, start, answers = [], "", 0
    while True:
        body = found(client, "needle", start)
        seen += [one["step"] for one in body["hits"]]
        answers += 1
        if body["next"] is None:
            break
        start = f"&start={body['next']}"
    assert seen == list(range(25))
    assert answers == 4


def test_a_search_reads_no_more_than_it_may(client: Client, written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search.search_texts, "__defaults__", (1,))
    body = found(client, "first")
    assert (body["texts"], body["next"]) == (1, body["next"])
    assert body["next"] is not None


def test_real_files(
    client: Client, environment: Environment, take: Take, real_files: Path, number_of: NumberOf
) -> None:
    (real,) = (real_files / "tensorboard" / "adam_lr0.001").glob("events.*")
    target = environment.base_directory / "real" / real.name
    target.parent.mkdir()
    shutil.copy(real, target)
    take(target)
    expected: dict[str, list[tuple[int, list[str]]]] = {}
    for payload in payloads(real):
        event = TensorBoardEvent.FromString(payload)
        for value in event.summary.value:
            if value.metadata.plugin_data.plugin_name == "text":
                strings = [one.decode() for one in value.tensor.string_val]
                expected.setdefault(value.tag, []).append((event.step, strings))
    assert expected
    for tag, texts in expected.items():
        rows = answer(client, listed(number_of(tag)))["texts"]
        assert [(row["step"], row["cells"]) for row in rows] == texts
