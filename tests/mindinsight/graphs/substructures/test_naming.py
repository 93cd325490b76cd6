"""What sub-structures are called: after the scope that most of them fit, else after their operators."""

from __future__ import annotations

import numpy as np
import pytest

from mindinsight.graphs import substructures
from mindinsight.graphs.substructures import recognition
from mindinsight.graphs.substructures.equivalence import BACKWARD, FORWARD, OPTIMIZER, make_work
from mindinsight.graphs.substructures.naming import Namer
from tests.mindinsight.graphs.substructures.small_graphs import Op, graph_of, place_of


def name_of(scopes: list[str], rows: list[list[int]], phase: int = FORWARD, ops: tuple[str, ...] = ()) -> str:
    """The name of rows of operators in scopes, in sequence."""
    kinds = ops or tuple(f"Op{number}" for number in range(len(scopes)))
    graph = graph_of([Op(op, [], scope) for op, scope in zip(kinds, scopes, strict=True)])
    return Namer(graph).name(np.asarray(rows, np.int32), phase)


def test_a_scope_must_agree_by_more_than_half() -> None:
    assert name_of(["0-Block"] * 2, [[0, 1]]) == "Block"
    assert name_of(["0-Block"] * 3, [[0, 1]]) == "Block"
    assert name_of(["0-Block"] * 4, [[0, 1]]) == "Op0 + Op1"
    assert name_of(["0-Block", "a", "b", "c"], [[0, 2, 3]]) == "Op0 + Op2 + Op3"


def test_of_scopes_that_agree_as_well_the_outer_one_names() -> None:
    assert name_of(["0-Outer/0-Inner"] * 2, [[0, 1]]) == "Outer"
    assert name_of(["0-Outer/0-Inner"] * 2 + ["0-Outer"] * 2, [[0, 1]]) == "Inner"
    # A scope with a name that only begins the same is another one.
    assert name_of(["0-Outer/0-Inner"] * 2 + ["0-OuterOther"] * 9, [[0, 1]]) == "Outer"


def test_more_than_half_of_the_occurrences_must_agree() -> None:
    scopes = ["0-A"] * 2 + ["1-B"] * 2 + ["1-A"] * 2
    assert name_of(scopes, [[0, 1], [2, 3]]) == "Op0 + Op1"
    assert name_of(scopes, [[0, 1], [4, 5], [2, 3]]) == "A"
    assert name_of(["", ""], [[0, 1]]) == "Op0 + Op1"


def test_the_phase_is_told() -> None:
    assert name_of(["0-Block"] * 2, [[0, 1]], BACKWARD) == "Block gradient"
    assert name_of([""] * 2, [[0, 1]], BACKWARD) == "Op0 + Op1"
    assert name_of(["Default/Optimizer"] * 2, [[0, 1]], OPTIMIZER) == "Default"
    assert name_of(["Optimizer"] * 2, [[0, 1]], OPTIMIZER) == "Op0 + Op1"
    assert name_of(["Optimizer"] * 2, [[0, 1]], FORWARD) == "Optimizer"
    assert name_of(["0-Adam"] * 2, [[0, 1]], OPTIMIZER) == "Adam"


@pytest.mark.parametrize(
    ("ops", "name"),
    [
        (("MatMul", "Cast", "MatMul", "Relu"), "MatMul + Relu"),
        (("Cast", "Reshape"), "Cast + Reshape"),
        (("A", "B", "C"), "A + B + C"),
        (("A", "B", "C", "D", "D", "C", "B"), "B + C + D …"),
        (("A", "B", "C", "D"), "A + B + C …"),
    ],
)
def test_operators_that_matter_name_what_no_scope_names(ops: tuple[str, ...], name: str) -> None:
    assert name_of([""] * len(ops), [list(reversed(range(len(ops))))], ops=ops) == name


def test_the_package_knows_its_names() -> None:
    assert substructures.__getattr__("recognise") is recognition.recognise
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        substructures.__getattr__("nothing")


@pytest.mark.parametrize("reverse", [False, True])
def test_a_leaf_is_in_the_phase_of_its_first_consumer(reverse: bool) -> None:
    """In a file in which operators come before what they need, too."""
    operators = [
        Op("A", ["w"], "Default/network/a"),
        Op("B", [0, "w", "v"], "Gradients/Default/network"),
        Op("C", [1, "v", "u"], "Default/optimizer-Adam/x/y"),
        Op("D", [2], "Gradients"),
        Op("E", [3], "Default/network/optimizer"),
    ]
    if reverse:
        last = len(operators) - 1
        operators = [
            Op(op, [last - source if isinstance(source, int) else source for source in inputs], scope)
            for op, inputs, scope in reversed(operators)
        ]
    graph = graph_of(operators, ["u", "v", "w"])
    work = make_work(graph, substructures.Equivalence.OP)
    names = [graph.text("name", int(column)) for column in work.columns]
    phases = dict(zip(names, work.phase.tolist(), strict=True))
    assert (phases["w"], phases["v"], phases["u"]) == (FORWARD, BACKWARD, OPTIMIZER)
    by_op = {graph.text("op", place_of(graph, number)): phases[str(number)] for number in range(5)}
    assert by_op == {"A": FORWARD, "B": BACKWARD, "C": OPTIMIZER, "D": BACKWARD, "E": FORWARD}


def test_gradients_alone_make_a_phase() -> None:
    graph = graph_of([Op("A", [], "Default/a"), Op("B", [0], "Gradients/Default/a")])
    assert make_work(graph, substructures.Equivalence.OP).phase.tolist() == [FORWARD, BACKWARD]
