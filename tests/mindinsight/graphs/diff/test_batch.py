"""A change of the batch is said once, and is no change of each node."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindinsight.graphs.diff import Status, compare
from mindinsight.graphs.diff.batch import BatchChange
from mindinsight.graphs.model import Graph, read_graph


def lenet(real_files: Path, name: str) -> Graph:
    files = sorted((real_files / "mindspore" / "lenet" / name).glob("*_MS"))
    return read_graph(files[0])


def test_graphs_of_another_batch_differ_in_nothing_else(real_files: Path) -> None:
    diff = compare(lenet(real_files, "mom_lr01_b32"), lenet(real_files, "mom_lr05_b64"))
    assert diff.batch == BatchChange(32, 64)
    assert diff.counts == {"same": 106, "changed": 0, "added": 0, "removed": 0}
    assert diff.changes() == []


def test_what_else_differs_is_listed_without_the_batch(real_files: Path) -> None:
    diff = compare(lenet(real_files, "mom_lr01_b32"), lenet(real_files, "sgd_lr1_b64"))
    assert diff.batch == BatchChange(32, 64)
    changed = diff.changes(status=Status.CHANGED)
    assert changed
    fields = {what.field for change in changed for what in change.what}
    assert fields == {"input:1"}, "the optimizer is another one, and what waits for it"
    assert {change.op for change in diff.changes(status=Status.ADDED)} & {"SGD"}


def test_an_equal_batch_is_no_change(real_files: Path) -> None:
    graph = lenet(real_files, "mom_lr01_b32")
    assert compare(graph, graph).batch is None


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("Float32[32,10]", "Float32[64,10]", True),
        ("Float32[32,10]", "Float32[64,11]", False),
        ("Float32[32,10]", "Float16[64,10]", False),
        ("(Float32[32,6],Int32[10])", "(Float32[64,6],Int32[10])", True),
        ("(Float32[32,6],Int32[10])", "(Float32[64,6],Int32[20])", False),
        ("Float32[6,32]", "Float32[6,64]", False),
        ('{"shape":[32,400]}', '{"shape":[64,400]}', True),
        ("(32, 400)", "(64, 400)", True),
        ("32", "64", True),
        ("0.03125", "0.015625", True),
        ("0.03125", "0.03126", False),
        ("16", "64", False),
        ("Float32[]", "Float32[3]", False),
        ("", "64", False),
        ("[" * 20000, "]" * 20000, False),
    ],
)
def test_what_a_change_of_the_batch_explains(left: str, right: str, same: bool) -> None:
    assert BatchChange(32, 64).explains(left, right) is same
