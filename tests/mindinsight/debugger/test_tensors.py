"""Tensors of a training: requested, sent with credit, stored in files, and viewed like recorded ones."""

from __future__ import annotations

import io
import struct
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest

from summaries.debugging import CHUNK_BYTES
from summaries.schema.debugger_pb2 import BlobBegin, Command, Credit, Reply
from tests.dashboard import Dashboard

from .browser import Browser
from .conftest import Attach, Open
from .fake_training import Training, name_of, paused

Row = dict[str, Any]


@pytest.fixture
def training(attach: Attach) -> Training:
    """A training that is paused at step 8."""
    training = attach()
    training.say(paused(8, has_previous=True))
    return training


@pytest.fixture
def page(training: Training, browse: Open) -> Browser:
    """A page that watches the training, and has seen where it is."""
    page = browse()
    if page.watch(training.session)["state"] is None:
        page.hear("state")
    return page


def want(page: Browser, training: Training, tensor: str, previous: bool = False) -> tuple[int, Row]:
    body = {"full_name": tensor, "previous": previous}
    return page.send(f"/api/debugger/sessions/{training.session}/tensors", body)


def ready(page: Browser, number: int, state: str = "ready") -> Row:
    told = page.hear("tensor", lambda told: told["tensor"]["number"] == number and told["tensor"]["state"] == state)
    return dict(told["tensor"])


def look(dashboard: Dashboard, session: Row, view: str, index: int, **said: Any) -> tuple[int, bytes]:
    query = urlencode({"series": session["number"], "index": index, "store": session["id"], **said})
    return dashboard.get(f"/api/debugger/tensors/{view}?{query}")


def bring(page: Browser, training: Training, array: Any, tensor: str = "w", previous: bool = False) -> Row:
    """Asks for a tensor and lets the training send it."""
    status, row = want(page, training, tensor, previous)
    assert (status, row["state"]) == (202, "asked")
    view = training.show(array, step=7 if previous else 8)
    assert (view.tensor.full_name, view.previous) == (tensor, previous)
    return ready(page, row["number"])


def session_row(dashboard: Dashboard, training: Training) -> Row:
    return dict(dashboard.get_json(f"/api/debugger/sessions/{training.session}")["row"])


def test_a_tensor_comes_in_chunks_and_is_looked_at_like_any_other(
    dashboard: Dashboard, training: Training, page: Browser
) -> None:
    array = np.random.default_rng(1).normal(size=(20, 7, 40_000)).astype(np.float32)
    array[3, 2, 1] = np.nan
    assert array.nbytes > (training.window + 4) * CHUNK_BYTES
    row = bring(page, training, array, "Default/conv1-Conv2d/Conv2D-op3")
    assert (row["dtype"], row["shape"], row["bytes"], row["step"]) == ("float32", [20, 7, 40_000], array.nbytes, 8)
    session = session_row(dashboard, training)
    status, body = look(dashboard, session, "file", row["number"])
    assert status == 200
    np.testing.assert_array_equal(np.load(io.BytesIO(body)), array)
    query = f"series={session['number']}&index={row['number']}&slice=[3]"
    shown = dashboard.get_json(f"/api/debugger/tensors/statistics?{query}")
    assert (shown["shape"], shown["slice_shape"], shown["tag"]) == (
        row["shape"],
        [7, 40_000],
        row["tensor"]["full_name"],
    )
    assert shown["statistics"]["nan"] == 1
    assert shown["statistics"]["max"] == np.nanmax(array[3]).item()
    status, tile = look(dashboard, session, "tile", row["number"], slice="[3]", plane="[:, :]")
    assert status == 200
    _, level, rows, columns, *_ = struct.unpack_from("<8I", tile)
    assert (level, rows, columns) == (0, 7, 128)
    np.testing.assert_array_equal(np.frombuffer(tile, "<f4", offset=32).reshape(7, 128), array[3, :, :128])
    status, found = look(dashboard, session, "find", row["number"], target="nan")
    assert b"[3,2,1]" in found


def test_the_same_values_are_asked_for_once_and_those_of_another_step_anew(
    dashboard: Dashboard, training: Training, page: Browser
) -> None:
    row = bring(page, training, np.arange(6, dtype=np.int32))
    assert want(page, training, "w") == (200, row)
    training.say(paused(9))
    page.hear("state", lambda told: told["state"]["step"] == 9)
    status, other = want(page, training, "w")
    assert (status, other["state"]) == (202, "asked")
    assert other["number"] > row["number"]
    training.show(np.zeros(6, np.int32), step=9)
    ready(page, other["number"])
    listed = dashboard.get_json(f"/api/debugger/sessions/{training.session}/tensors")["tensors"]
    assert [one["number"] for one in listed] == [other["number"], row["number"]]
    assert dashboard.get_json(f"/api/debugger/sessions/{training.session}/tensors/{row['number']}") == row


def test_current_and_previous_values_are_compared_within_a_tolerance(
    dashboard: Dashboard, training: Training, page: Browser
) -> None:
    now = np.array([1.0, 2.0, 3.0])
    current = bring(page, training, now)
    previous = bring(page, training, now + np.array([0, 1e-4, 0.5]), previous=True)
    assert (current["step"], previous["step"]) == (8, 7)
    session = session_row(dashboard, training)
    other = {"other_series": session["number"], "other_index": previous["number"], "rtol": 1e-3, "atol": 0}
    status, body = look(dashboard, session, "difference", current["number"], **other)
    assert status == 200
    assert b'"outside":1' in body
    assert b'"max_absolute":0.5' in body


def test_a_command_that_views_values_says_which_tensor_they_become(training: Training, page: Browser) -> None:
    view = {"view": {"tensor": {"full_name": "b"}, "values": True}}
    name = page.ask(training.session, view)
    training.show(np.ones((2, 2), np.float16), step=8)
    reply = page.reply(name)
    assert reply["ok"]
    number = reply["tensor"]["number"]
    row = dict(reply["tensor"]) if reply["tensor"]["state"] == "ready" else ready(page, number)
    assert row["shape"] == [2, 2]
    # Values that are here do not travel again; statistics are asked for all the same.
    name = page.ask(training.session, view)
    assert not training.obey().view.values
    assert page.reply(name)["tensor"]["number"] == number


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float64", "complex64"])
def test_elements_of_all_types_arrive_as_they_are(
    dtype: str, dashboard: Dashboard, training: Training, page: Browser
) -> None:
    array = np.array([[0, 1, 2], [3, 4, 5]]).astype(dtype)
    row = bring(page, training, array)
    _, body = look(dashboard, session_row(dashboard, training), "file", row["number"])
    loaded = np.load(io.BytesIO(body))
    assert loaded.dtype == array.dtype
    np.testing.assert_array_equal(loaded, array)


def test_a_tensor_without_elements_is_one_too(dashboard: Dashboard, training: Training, page: Browser) -> None:
    row = bring(page, training, np.zeros((0, 3), np.float32))
    assert look(dashboard, session_row(dashboard, training), "statistics", row["number"])[0] == 200


def test_what_cannot_be_had_is_said(dashboard: Dashboard, training: Training, page: Browser) -> None:
    _, row = want(page, training, "gone")
    training.obey(lambda _: Reply(ok=False, problem="no_value", message="It was freed."))
    failed = ready(page, row["number"], "failed")
    assert (failed["problem"], failed["message"]) == ("no_value", "It was freed.")
    session = session_row(dashboard, training)
    status, body = look(dashboard, session, "statistics", row["number"])
    assert (status, b"tensor_not_here" in body) == (409, True)
    assert look(dashboard, {**session, "number": 10**6}, "statistics", 1)[0] == 404
    assert look(dashboard, {**session, "id": "other"}, "statistics", row["number"])[0] == 409


def test_damaged_values_are_not_shown(training: Training, page: Browser) -> None:
    _, row = want(page, training, "w")
    training.show(np.arange(10.0), step=8, spoil=True)
    failed = ready(page, row["number"], "failed")
    assert failed["problem"] == "damaged"
    assert "checksum" in failed["message"]


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"bytes": float(2 << 30), "dtype": "uint8", "shape": [2 << 30]}, "too_large"),
        ({"bytes": float("inf")}, "damaged"),
        ({"bytes": float("nan")}, "damaged"),
        ({"bytes": 8.0, "dtype": "float32", "shape": [3]}, "damaged"),
        ({"bytes": 8.0, "dtype": "object", "shape": [1]}, "damaged"),
    ],
)
def test_an_announcement_that_lies_takes_no_room(
    said: dict[str, Any], problem: str, training: Training, page: Browser
) -> None:
    _, row = want(page, training, "w")
    training.hear(Command)
    content = {"id": 1, "content": BlobBegin.TENSOR, "tensor": name_of("w"), "dtype": "uint8", "shape": [1]}
    training.say(BlobBegin(**(content | said)))
    assert training.hear(Credit).cancel
    assert ready(page, row["number"], "failed")["problem"] == problem


def test_a_tensor_that_nobody_asked_for_is_cancelled(training: Training) -> None:
    data = bytes(CHUNK_BYTES * (training.window + 1))
    content = {"id": 4, "content": BlobBegin.TENSOR, "tensor": name_of("w"), "dtype": "uint8", "shape": [len(data)]}
    assert not training.send_blob(BlobBegin(bytes=len(data), **content), data)


def test_values_on_their_way_are_lost_with_the_connection(training: Training, page: Browser) -> None:
    _, row = want(page, training, "w")
    training.close()
    assert ready(page, row["number"], "failed")["problem"] == "connection_lost"
    assert want(page, training, "w")[0] == 409
