"""Histories of dumps: found in any place, opened with any content, and each pass described by its changes."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from mindinsight.graphs.diff import compare
from mindinsight.graphs.model import DefectCode, EdgeKind, Graph, GraphError
from mindinsight.graphs.passes import find_histories, find_history, open_pass
from mindinsight.graphs.passes import finding as finding_module
from summaries.schema.anf_ir_pb2 import GraphProto, ModelProto
from tests.mindinsight.graphs.graph_edits import real_proto
from tests.mindinsight.graphs.passes.make_passes import make_passes


def chain(name: str, *ops: str) -> GraphProto:
    """A parameter and operators in a row."""
    graph = GraphProto(name=name)
    graph.parameters.add(name="x")
    before = "x"
    for number, op in enumerate(ops):
        graph.node.add(name=str(number), op_type=op, scope="Default").input.add(name=before)
        before = str(number)
    graph.outputs.add(name=before)
    return graph


def write(directory: Path, **graphs: GraphProto) -> None:
    """Writes dumps under names without their `n` in front and with dots for double underscores."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, graph in graphs.items():
        (directory / f"{name[1:].replace('__', '.')}.pb").write_bytes(graph.SerializeToString())


def nodes(graph: Graph) -> dict[str, str]:
    """Operators by name."""
    return {graph.text("name", node): graph.text("op", node) for node in range(len(graph))}


def test_every_rewrite_is_found_between_neighbours(real_files: Path, tmp_path: Path) -> None:
    expected = make_passes(real_proto(real_files, "bert12"), tmp_path / "passes")
    (history,) = find_histories(tmp_path)
    names = ["parse", "opt_a_2", "cse", "dead_code", "fuse", "outline", "validate"]
    assert [found.name for found in history.passes] == names
    graphs = [open_pass(history, index) for index in range(len(names))]
    assert [graph.defects for graph in graphs] == [[]] * len(names)
    for index, told in enumerate(expected):
        diff = compare(graphs[index], graphs[index + 1])
        found = Counter((row.status.name.lower(), row.op) for row in diff.changes())
        assert found == told, names[index + 1]
    assert expected[3][("added", "FusedMatMulBiasAdd")] > 60


def test_dumps_are_found_in_all_directories_in_their_order(tmp_path: Path) -> None:
    net = chain("net", "ReLU")
    write(tmp_path, n00_parse=net, n10_end=net, n02_opt_a_2=net, n02_opt_a_1=net)
    write(tmp_path / "rank_0" / "graphs", n01_validate__fg1=net, n01_validate__fg0=net, n01_validate__fg10=net)
    (tmp_path / "notes_01.pb").write_bytes(b"")
    (tmp_path / "01_parse.ir").write_bytes(b"")
    (tmp_path / "03_directory.pb").mkdir()
    top, deep = find_histories(tmp_path)
    assert [(found.index, found.number, found.name) for found in top.passes] == [
        (0, 0, "parse"),
        (1, 2, "opt_a_1"),
        (2, 2, "opt_a_2"),
        (3, 10, "end"),
    ]
    assert (top.directory, deep.directory) == (".", "rank_0/graphs")
    (single,) = deep.passes
    assert [path.name for path in single.files] == ["01_validate.fg0.pb", "01_validate.fg1.pb", "01_validate.fg10.pb"]
    assert find_history(tmp_path, "rank_0/graphs") == deep
    assert find_history(tmp_path, "../" + tmp_path.name) is None


def test_links_and_pipes_are_left_alone(tmp_path: Path) -> None:
    run, other = tmp_path / "run", tmp_path / "other"
    write(other, n00_secret=chain("secret", "ReLU"))
    write(run, n00_parse=chain("net", "ReLU"))
    (run / "link").symlink_to(other)
    (run / "round").symlink_to(run)
    (run / "01_link.pb").symlink_to(other / "00_secret.pb")
    os.mkfifo(run / "02_pipe.pb")
    (history,) = find_histories(run)
    assert [found.name for found in history.passes] == ["parse"]
    (run / "00_parse.pb").unlink()
    (run / "00_parse.pb").symlink_to(other / "00_secret.pb")
    with pytest.raises(OSError, match="symbolic links"):
        open_pass(history, 0)
    (run / "00_parse.pb").unlink()
    os.mkfifo(run / "00_parse.pb")
    with pytest.raises(GraphError, match="is not a file any more"):
        open_pass(history, 0)


def test_names_may_have_any_character(tmp_path: Path) -> None:
    names = ["00_层 ✓.pb", "01_a\nb.pb", "02_../..pb", "03_<b>.fgx.pb", "04_.pb", "05_\udcff.pb", "9999999_far.pb"]
    for name in names:
        if "/" not in name:
            (tmp_path / name).write_bytes(chain("net", "ReLU").SerializeToString())
    (history,) = find_histories(tmp_path)
    assert [found.name for found in history.passes] == ["层 ✓", "a\nb", "<b>.fgx", "\udcff"]
    for index in range(len(history.passes)):
        assert nodes(open_pass(history, index)) == {"0": "ReLU", "x": "Parameter"}


def test_very_many_entries_are_not_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding_module, "MOST_ENTRIES", 20)
    for number in range(30):
        (tmp_path / f"{number}_pass.pb").write_bytes(b"")
    (history,) = find_histories(tmp_path)
    assert len(history.passes) == 20
    assert not history.complete


def test_a_directory_that_is_gone_has_no_histories(tmp_path: Path) -> None:
    assert find_histories(tmp_path / "gone") == []


@pytest.mark.parametrize("call", ["body", "call @body", "@body"])
@pytest.mark.parametrize("by", ["type", "attribute", "input", "constant"])
def test_a_call_is_linked_to_what_it_calls(tmp_path: Path, call: str, by: str) -> None:
    main, body = chain("main", "Cast", "Call", "Return"), chain("body", "MatMul", "ReLU")
    caller = main.node[1]
    if by == "type":
        caller.op_type = call
    elif by == "attribute":
        caller.attribute.add(name="sub_graph").value.str_val = call
    elif by == "input":
        caller.input.add(name=call)
    else:
        main.const_vals.add(key="cst1").value.str_val = call
        caller.input.add(name="cst1")
    write(tmp_path, n00_parse__fg0=main, n00_parse__fg1=body)
    graph = open_pass(find_histories(tmp_path)[0], 0)
    assert graph.defects == []
    number = {graph.text("name", node): node for node in range(len(graph))}
    assert graph.text("scope", number["body/1"]) == "body/Default"
    assert graph.text("scope", number["0"]) == "Default"
    links = [(source, kind) for source, _, kind in graph.inputs(number["1"]) if kind is EdgeKind.CONTROL]
    assert links == [(number["body/1"], EdgeKind.CONTROL)]
    assert '"calls":["body"]' in graph.text("attributes", number["1"])
    assert graph.outputs.tolist() == [number["2"]]
    assert graph.title == "main"


def test_the_graph_that_nobody_calls_is_the_program(tmp_path: Path) -> None:
    write(tmp_path, n00_a__fg0=chain("body", "ReLU"), n00_a__fg1=chain("main", "body"))
    graph = open_pass(find_histories(tmp_path)[0], 0)
    assert graph.title == "main"
    assert nodes(graph) == {"0": "body", "x": "Parameter", "body/0": "ReLU", "body/x": "Parameter"}


def test_functions_that_call_each_other_make_no_circle(tmp_path: Path) -> None:
    head, body = chain("head", "Less", "body"), chain("body", "Add", "head")
    write(tmp_path, n00_a__fg0=chain("main", "head"), n00_a__fg1=head, n00_a__fg2=body)
    graph = open_pass(find_histories(tmp_path)[0], 0)
    assert graph.defects == []
    assert int((graph.in_kind == EdgeKind.CONTROL).sum()) == 1
    assert [text for text in map(str, graph.strings) if text.startswith('{"calls"')] == [
        '{"calls":["head"]}',
        '{"calls":["body"]}',
    ]


def test_functions_read_what_surrounds_them(tmp_path: Path) -> None:
    body = chain("body", "Add")
    body.node[0].input.add(name="weight")
    main = chain("main", "body")
    main.parameters.add(name="weight")
    write(tmp_path, n00_a__fg0=main, n00_a__fg1=body)
    graph = open_pass(find_histories(tmp_path)[0], 0)
    assert graph.defects == []
    number = {graph.text("name", node): node for node in range(len(graph))}
    assert [source for source, _, _ in graph.inputs(number["body/0"])] == [number["body/x"], number["weight"]]


def test_functions_of_one_name_stay_apart(tmp_path: Path) -> None:
    models = b"".join(ModelProto(graph=chain("", "ReLU")).SerializeToString() for _ in range(3))
    (tmp_path / "00_parse.pb").write_bytes(models)
    graph = open_pass(find_histories(tmp_path)[0], 0)
    assert {"0", "parse#2/0", "parse#3/0"} <= set(nodes(graph)) or {"0", "00_parse#2/0", "00_parse#3/0"} <= set(
        nodes(graph)
    )


def test_a_broken_function_costs_nothing_else(tmp_path: Path) -> None:
    write(tmp_path, n00_parse__fg0=chain("main", "ReLU"))
    (tmp_path / "00_parse.fg1.pb").write_bytes(b"\x0a\xff no graph")
    history = find_histories(tmp_path)[0]
    graph = open_pass(history, 0)
    assert graph.defect_counts == {DefectCode.UNREADABLE_PART: 1}
    assert "00_parse.fg1.pb" in graph.defects[0].message
    assert nodes(graph) == {"0": "ReLU", "x": "Parameter"}
    (tmp_path / "00_parse.fg0.pb").write_bytes(b"\xff")
    with pytest.raises(GraphError, match="none of its 2 graphs can be read"):
        open_pass(history, 0)


def test_a_pass_that_is_not_there_is_refused(tmp_path: Path) -> None:
    write(tmp_path, n00_parse=chain("main", "ReLU"))
    (tmp_path / "01_empty.pb").write_bytes(b"")
    history = find_histories(tmp_path)[0]
    with pytest.raises(GraphError, match="there is no number 2"):
        open_pass(history, 2)
    with pytest.raises(GraphError, match=r"01_empty\.pb: no graph was found"):
        open_pass(history, 1)
