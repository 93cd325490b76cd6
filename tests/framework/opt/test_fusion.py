"""Clusters that one kernel could compute are marked, and nothing else is; the marks show in every form of a program."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
from framework import Tensor, ops
from framework.ir.anf_proto import to_protos
from framework.ir.clone import clone
from framework.ir.literals import read_type
from framework.ir.manager import Manager
from framework.ir.reading import read_text
from framework.ir.text import to_text
from framework.opt.dump import Dump
from framework.opt.fusion.marks import mark_fusion
from framework.opt.fusion.report import fusion_text
from tests.framework.opt.test_rules import CALLS, primitive, program


def marks(root: Any) -> list[tuple[str, int | None]]:
    return [(node.operator.name, node.marks.get("fusion")) for node in Manager(root).nodes(root)]


@pytest.mark.parametrize(
    ("lines", "result", "groups"),
    [
        (["%0 = Mul(%para1_a, %para2_b)", "%1 = Tanh(%0)", "%2 = Add(%1, 1.0)"], "%2", [0, 0, 0]),
        # What is read twice, by one operator or several, is computed once.
        (["%0 = Exp(%para1_a)", "%1 = Mul(%0, %0)"], "%1", [0, 0]),
        (["%0 = Exp(%para1_a)", "%1 = Neg(%0)", "%2 = Tanh(%1)", "%3 = Mul(%0, %2)"], "%3", [0, 0, 0, 0]),
        # So is what is returned as well.
        (["%0 = Exp(%para1_a)", "%1 = Neg(%0)", "%2 = MakeTuple(%0, %1)"], "%2", [0, 0, None]),
        # Two chains meet in an operator.
        (["%0 = Exp(%para1_a)", "%1 = Tanh(%para2_b)", "%2 = Sub(%0, %1)", "%3 = Neg(%2)"], "%3", [0, 0, 0, 0]),
        # What goes over elements in another order stands between clusters.
        (["%0 = Exp(%para1_a)", "%1 = MatMul(%0, %para2_b)", "%2 = Tanh(%1)"], "%2", [None, None, None]),
        (
            ["%0 = Exp(%para1_a)", "%1 = Neg(%0)", "%2 = MatMul(%1, %para2_b)", "%3 = Mul(%0, %2)", "%4 = Tanh(%3)"],
            "%4",
            [0, 0, None, 1, 1],
        ),
        # What is needed only behind it can wait: for the kernel there.
        (
            ["%0 = Exp(%para1_a)", "%1 = MatMul(%para1_a, %para2_b)", "%2 = Mul(%0, %1)", "%3 = Tanh(%2)"],
            "%3",
            [0, None, 0, 0],
        ),
        # Alone, an operator that numpy makes of several is worth a kernel, any other is not.
        (["%0 = Sigmoid(%para1_a)"], "%0", [0]),
        (["%0 = Tanh(%para1_a)"], "%0", [None]),
    ],
)
def test_clusters_are_marked(lines: list[str], result: str, groups: list[int | None]) -> None:
    root = program(*lines, result=result)
    assert mark_fusion(root) == sum(group is not None for group in groups)
    assert [group for _, group in marks(root)] == groups
    assert mark_fusion(root) == 0


def test_smaller_values_are_read_but_not_computed_in_a_cluster() -> None:
    lines = ("%0 = Exp(%para1_a)", "%1 = Mul(%0, %para2_b)", "%2 = Tanh(%1)")
    root = program(*lines, result="%2")
    Manager(root).nodes(root)[0].abstract = read_type("<Tensor[Float32], (3,)>")
    mark_fusion(root)
    assert [mark for _, mark in marks(root)] == [None, 0, 0]
    # A kernel is made for shapes that are known.
    for node in Manager(root).nodes(root):
        node.abstract = read_type("<Tensor[Float32], (?, 3)>")
    assert mark_fusion(root) == 2
    assert [mark for _, mark in marks(root)] == [None, None, None]


def test_marks_are_shown_read_copied_and_taken_back() -> None:
    root = program("%0 = Mul(%para1_a, %para2_b)", "%1 = Tanh(%0)", result="%1")
    mark_fusion(root)
    assert to_text(root, notes=False).count(" cnode_attrs: {fusion: 0}\n") == 2
    assert to_text(clone(root)) == to_text(root)
    (proto,) = to_protos(root)
    assert [(a.name, a.value.int_val) for a in proto.node[1].attribute if a.name == "fusion"] == [("fusion", 0)]
    Manager(root).replace(root.output, root.output.inputs[1])  # type: ignore[attr-defined]
    assert mark_fusion(root) == 1
    assert marks(root) == [("Mul", None)]


def test_a_cluster_has_no_more_operators_than_registers() -> None:
    lines = ["%0 = Tanh(%para1_a)", *(f"%{n} = Tanh(%{n - 1})" for n in range(1, 100))]
    root = program(*lines, result="%99")
    mark_fusion(root)
    sizes = Counter(mark for _, mark in marks(root))
    assert None not in sizes
    assert len(sizes) == 2
    assert max(sizes.values()) == 64


def test_sums_over_the_last_axes_run_with_what_they_add_up() -> None:
    def marked(axes: str, kind: str) -> list[int | None]:
        root = program("%0 = Exp(%para1_a)", "%1 = Neg(%0)", f"%2 = ReduceSum(%1, {axes})", result="%2")
        root.output.abstract = read_type(f"<Tensor[Float32], {kind}>")
        mark_fusion(root)
        return [mark for _, mark in marks(root)]

    assert marked("(1,)", "(2,)") == [0, 0, 0]
    assert marked("(-1,)", "(2,)") == [0, 0, 0]
    assert marked("(0, 1)", "()") == [0, 0, 0]
    assert marked("()", "()") == [0, 0, 0]
    assert marked("(0,)", "(3,)") == [0, 0, None]


def test_why_an_operator_is_in_no_cluster_is_told() -> None:
    root = program("%0 = Exp(%para1_a)", "%1 = MatMul(%0, %para2_b)", "%2 = Tanh(%1)", result="%2")
    for node, kind in zip(
        Manager(root).nodes(root), ("Float32], (2, 3)", "Float32], (2, 3)", "Float32], (?, 3)"), strict=True
    ):
        node.abstract = read_type(f"<Tensor[{kind}>")
    mark_fusion(root)
    lines = fusion_text(root).splitlines()
    assert lines == [
        "0 kernels of 0 operators",
        "",
        "element-wise, with no neighbour that can run at the same time, and numpy's kernel is as good: Exp (1)",
        "no operator that is computed element by element, or none that kernels know: MatMul (1)",
        "shapes are known only when the program runs: Tanh (1)",
    ]


def test_a_program_of_several_graphs_has_a_message_for_each(tmp_path: Path) -> None:
    dump = Dump(tmp_path / "new" / "dumps")
    dump("first", program("%0 = Exp(%para1_a)", result="%0"))
    dump("then", read_text(CALLS, primitive))
    dump.text("notes.txt", "as said")
    names = sorted(path.name for path in (tmp_path / "new" / "dumps").iterdir())
    assert names == ["00_first.ir", "00_first.pb", "01_then.fg0.pb", "01_then.fg1.pb", "01_then.ir", "02_notes.txt"]
    assert (tmp_path / "new" / "dumps" / "02_notes.txt").read_text() == "as said"
    assert "subgraph @double" in (tmp_path / "new" / "dumps" / "01_then.ir").read_text()


def softplus_sum(x: Any) -> Any:
    y = ops.tanh(ops.exp(x) + 1.0)
    return (x @ y * 2.0 - 0.5).sum(), y


@pytest.mark.fast_path
def test_dumps_show_what_could_be_fused_and_what_is_written_over_an_input(tmp_path: Path) -> None:
    x = Tensor(np.eye(3, dtype=np.float32))
    ms.set_context(save_graphs=True, save_graphs_path=str(tmp_path))
    try:
        program_ = ms.jit(softplus_sum).compile(x)
    finally:
        ms.set_context(save_graphs=False)
    (text,) = tmp_path.glob("*/*_plan.ir")
    found = [line.split(" cnode_attrs: ")[1] for line in text.read_text().splitlines() if "cnode_attrs" in line]
    one, over = "{fusion: 0}", "{fusion: 0, in_place: 0}"
    assert found == [one, over, one, "{fusion: 1, in_place: 0}", "{fusion: 1, in_place: 0}", "{fusion: 1}"]
    written = [value.node.full_name for value in program_.executable.memory.values.values() if value.overwrites]
    marked = [node.full_name for node in Manager(program_.root).all_nodes() if "in_place" in node.marks]
    assert sorted(marked) == sorted(written)
    assert text.with_suffix(".pb").is_file()
    (told,) = tmp_path.glob("*/*_fusion.txt")
    lines = told.read_text().splitlines()
    assert lines[0] == "2 kernels of 6 operators"
    assert "kernel 1 in softplus_sum: <Tensor[Float32], (3, 3)>" in lines
    assert any(
        line.startswith("no operator that is computed element by element") and "MatMul (1)" in line for line in lines
    )
