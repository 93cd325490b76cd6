"""`DumpAnalyzer` against numbers counted by hand on the builder's dump, and the command `mindinsight dump`."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from mindinsight.cli import main
from mindinsight.dumps import (
    ConditionBase,
    DumpAnalyzer,
    DumpError,
    OperatorOverflowCondition,
    TensorAllZeroCondition,
    TensorChangeAboveThresholdCondition,
    TensorChangeBelowThresholdCondition,
    TensorOverflowCondition,
    TensorRangeCondition,
    TensorTooLargeCondition,
    TensorTooSmallCondition,
    TensorUnchangedCondition,
    Watchpoint,
)
from tests.debugging.dumps.builder import COUNT, LOG, MATMUL, NEG, SOFTMAX, SUM, UPDATE, outputs, write_mindspore


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_mindspore(tmp_path_factory.mktemp("dumps") / "dump", ranks=(0, 1))


@pytest.fixture
def analyzer(folder: Path) -> DumpAnalyzer:
    return DumpAnalyzer(folder)


def test_ranks_and_iterations(analyzer: DumpAnalyzer) -> None:
    assert analyzer.get_ranks() == [0, 1]
    assert analyzer.get_iterations() == analyzer.get_iterations(ranks=[1]) == [0, 1]
    with pytest.raises(DumpError, match="there is no rank 7; there are 0, 1"):
        analyzer.get_iterations(ranks=7)


def test_nodes_are_selected_by_name_and_by_source(analyzer: DumpAnalyzer) -> None:
    def names(query: str, **options: object) -> list[str]:
        return [node.name for node in analyzer.select_nodes(query, ranks=0, **options)]

    assert names("ReduceSum") == [SUM, COUNT]
    assert names("reducesum") == []
    assert names("reducesum", case_sensitive=False) == [SUM, COUNT]
    assert names(r"(Log|Neg)-op\d$", use_regex=True) == [LOG, NEG]
    assert names("self.log(x)", select_by="code_stack") == [LOG]
    assert len(list(analyzer.select_nodes("Log-op0"))) == 2
    for arguments in ({"use_regex": True, "query_string": "("}, {"query_string": "", "select_by": "colour"}):
        with pytest.raises(DumpError):
            analyzer.select_nodes(**arguments)


def test_tensors_are_selected_and_opened(analyzer: DumpAnalyzer) -> None:
    (tensor,) = analyzer.select_tensors("Log-op0", iterations=[1], ranks=[1])
    assert (tensor.node.name, tensor.rank, tensor.iteration, tensor.slot) == (LOG, 1, 1, 0)
    assert np.array_equal(tensor.value(), outputs(1)[LOG])
    assert list(analyzer.select_tensors("Log-op0", slots=[1])) == []
    found = {item.node.name: item.node.type for item in analyzer.select_tensors("weight", ranks=0)}
    assert found == {"fc.weight": "Parameter", "moments.fc.weight": "Parameter"}


def test_neighbours_look_through_load_and_tuples(analyzer: DumpAnalyzer) -> None:
    def names(nodes: list) -> list[str]:
        return [node.name for node in nodes]

    node = {found.name: found for found in analyzer.select_nodes("", ranks=0)}
    assert names(analyzer.get_input_nodes(node[MATMUL])) == ["inputs0", "fc.weight"]
    assert names(analyzer.get_output_nodes(node[SOFTMAX])) == [LOG, COUNT]
    assert names(analyzer.get_output_nodes(node["fc.weight"])) == [MATMUL, UPDATE]
    (tensor,) = analyzer.select_tensors("MatMul-op0", iterations=0, ranks=0)
    assert names(analyzer.list_affected_nodes(tensor)) == [SOFTMAX, UPDATE]
    inputs = list(node[MATMUL].get_input_tensors(iterations=[0]))
    assert [item.node.name for item in inputs] == ["inputs0", "fc.weight"]


@pytest.mark.parametrize(
    ("condition", "query", "found"),
    [
        (TensorOverflowCondition(), "", {(LOG, 1), (SUM, 1), (NEG, 1)}),
        (OperatorOverflowCondition(), "", {(LOG, 1)}),
        (TensorAllZeroCondition(100), "", {("moments.fc.weight", 0), ("moments.fc.weight", 1)}),
        (TensorAllZeroCondition(50), "Softmax", {(SOFTMAX, 1)}),
        # x @ w is [[2, 3], [2.5, -5]] in iteration 0, and 1,000 times that in iteration 1.
        (TensorTooLargeCondition(max_gt=2999), "MatMul", {(MATMUL, 1)}),
        (TensorTooSmallCondition(min_lt=-4.9), "MatMul", {(MATMUL, 0), (MATMUL, 1)}),
        (TensorTooSmallCondition(abs_mean_lt=3.2), "MatMul", {(MATMUL, 0)}),
        (TensorRangeCondition(max_min_gt=7.9), "MatMul", {(MATMUL, 0), (MATMUL, 1)}),
        (TensorRangeCondition(0, 10, range_percentage_lt=80), "MatMul", {(MATMUL, 0), (MATMUL, 1)}),
        (TensorUnchangedCondition(), "weight", {("moments.fc.weight", 1)}),
        # The weights go from [[1, -1], [0.5, 2]] down by 1: 4 / 4.5.
        (TensorChangeAboveThresholdCondition(0.88), "fc.weight", {("fc.weight", 1)}),
        (TensorChangeBelowThresholdCondition(0.89), "fc.weight", {("fc.weight", 1), ("moments.fc.weight", 1)}),
    ],
    ids=lambda value: value.name if isinstance(value, ConditionBase) else None,
)
def test_conditions_hold_where_they_should(
    analyzer: DumpAnalyzer, condition: ConditionBase, query: str, found: set
) -> None:
    watchpoint = Watchpoint(analyzer.select_tensors(query, ranks=0), condition)
    hits = analyzer.check_watchpoints([watchpoint])
    assert {(hit.tensor.node.name, hit.tensor.iteration) for hit in hits} == found
    assert all(hit.get_threshold() is condition and hit.error_code == 0 for hit in hits)
    times = [(hit.tensor.iteration, hit.tensor.time) for hit in hits]
    assert times == sorted(times)


def test_hits_have_details_and_missing_values_are_told(analyzer: DumpAnalyzer) -> None:
    tensors = list(analyzer.select_tensors("fc.weight", ranks=0, iterations=[0, 1]))[:2]
    (hit,) = analyzer.check_watchpoints([Watchpoint(tensors, TensorChangeAboveThresholdCondition(0.5))])
    assert hit.get_hit_detail()["abs_mean_update_ratio_gt"] == pytest.approx(4 / 4.5)
    hits = analyzer.check_watchpoints([Watchpoint(tensors, TensorUnchangedCondition())], error_on_no_value=True)
    assert [(item.tensor.iteration, item.error_code) for item in hits] == [(0, 2)]
    with pytest.raises(DumpError, match="needs at least one of"):
        TensorTooLargeCondition()
    with pytest.raises(DumpError, match="give one of the nine conditions"):
        Watchpoint(tensors, "TensorTooLarge")


def test_statistics_and_their_summary(analyzer: DumpAnalyzer, tmp_path: Path) -> None:
    found = analyzer.select_tensor_statistics(iterations=[1], ranks=[0])
    assert list(found) == [0]
    assert list(found[0]) == [1]
    row = next(row for row in found[0][1] if (row.op_name, row.io) == (LOG, "output"))
    assert (row.count, row.negative_inf_count, row.nan_count, row.max_value, row.is_finite) == (4, 2, 0, 0, False)
    path = analyzer.summary_statistics(analyzer.select_tensor_statistics(), overflow_value=3000, out_path=tmp_path)
    with path.open() as file:
        rows = {line["tensor_name"]: line for line in csv.DictReader(file)}
    fields = ("total_number", "inf_number", "nan_number", "out_of_range_number", "none_overflow_number",
              "total_iterations")  # fmt: skip
    # Two ranks, two iterations.
    assert [int(rows[f"{LOG}:output:0"][name]) for name in fields] == [4, 2, 0, 0, 2, 2]
    assert [int(rows[f"{MATMUL}:output:0"][name]) for name in fields] == [4, 0, 0, 2, 2, 2]


def test_graphs_are_exported(analyzer: DumpAnalyzer, tmp_path: Path) -> None:
    paths = analyzer.export_graphs(tmp_path / "new")
    assert [path.stem for path in paths] == ["rank_0_graph_0", "rank_1_graph_0"]
    if paths[0].suffix == ".csv":
        with paths[0].open() as file:
            rows = {line["Name"]: line for line in csv.DictReader(file)}
        assert len(rows) == 11
        assert (rows[LOG]["Inputs"], rows[LOG]["Order"]) == (f"{SOFTMAX}:0", "3")


def test_a_limit_of_memory_is_refused(folder: Path) -> None:
    with pytest.raises(DumpError, match="mem_limit has no effect"):
        DumpAnalyzer(folder, mem_limit=4096)


def test_the_command_tells_ranks_bytes_fault_and_damages(folder: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["dump", str(folder)])
    assert done.exit_code == 0
    lines = done.output.splitlines()
    assert lines[0] == "rank 0: iterations 0, 1; 1 graph with 7 nodes; 44 tensors"
    assert f"Not finite: {LOG} (Log) in rank 0, iteration 1." in lines
    assert f"  input {SOFTMAX}: float32 2x2, min 0, max 1, 2 of 4 zero" in lines
    (tmp_path / "rank_1").mkdir()
    done = CliRunner().invoke(main, ["dump", "--no-values", str(tmp_path)])
    assert done.exit_code == 1
    assert "damage: rank_0: the rank is missing" in done.output
    (tmp_path / "rank_1").rmdir()
    assert "is no dump" in CliRunner().invoke(main, ["dump", str(tmp_path)]).output
