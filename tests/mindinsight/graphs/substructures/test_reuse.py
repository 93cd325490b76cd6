"""Known sub-structures are found again: alone in the rest of a graph, and in the insides of different ones."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from benchmarks.measuring.graph_checker import Checker
from mindinsight.graphs.model import Graph
from mindinsight.graphs.substructures import Catalogue, SubStructure, plain_document, recognise
from tests.mindinsight.graphs.substructures.small_graphs import Op, graph_of

pytestmark = pytest.mark.usefixtures("with_kernel")

UNIT = ("MatMul", "BiasAdd", "GeLU", "LayerNorm", "Dropout", "Scale", "Shift", "Round")
#: What a layer has besides units.
FIRST = tuple(f"First{number}" for number in range(30))
SECOND = tuple(f"Second{number}" for number in range(30))


def in_a_row(*parts: Sequence[str]) -> Graph:
    """A graph of parts, each in a scope, of operators that read the one before; a unit's end reads its beginning."""
    operators: list[Op] = []
    for number, part in enumerate(parts):
        for one in part:
            last = len(operators) - 1
            sources = [last] if operators else []
            if one == UNIT[-1]:
                sources.append(last - len(UNIT) + 2)
            operators.append(Op(one, sources, f"Net/{number}-Part"))
    return graph_of(operators)


def unit_in(catalogue: Catalogue) -> SubStructure:
    """The sub-structure that is the unit."""
    graph = catalogue.graph
    (found,) = [
        one for one in catalogue.structures if {graph.text("op", int(node)) for node in one.nodes[0]} == set(UNIT)
    ]
    return found


def check(catalogue: Catalogue) -> None:
    """The independent checker accepts everything, and sub-structures are disjoint or nested."""
    checker, document = Checker(catalogue.graph), plain_document(catalogue)
    assert not checker.check(document).faults
    assert checker.laminar(document)


def test_a_unit_of_layers_is_found_where_it_stands_alone() -> None:
    """Layers have two units each. One stands behind them, as in the head of a network."""
    layer = (*FIRST, *UNIT, "Between", *UNIT)
    catalogue = recognise(in_a_row(["Begin"], *[layer] * 5, ["Head"], UNIT, ["Loss"]))
    check(catalogue)
    unit = unit_in(catalogue)
    assert unit.count == 11
    assert unit.parent == -1
    (whole,) = [one for one in catalogue.structures if one.size == len(layer)]
    assert (whole.count, whole.children) == (5, [unit.number])
    # The beginning, the layers, the head, the unit and the loss; in a layer, the units and what is around them.
    assert catalogue.boxes == 5
    assert whole.boxes == len(FIRST) + 3


def test_a_unit_of_two_kinds_of_layers_is_one_sub_structure() -> None:
    """No layer has two of them, so neither kind tells of it alone."""
    first, second = (*FIRST, *UNIT), (*SECOND, *UNIT)
    catalogue = recognise(in_a_row(["Begin"], *[first] * 4, ["Bridge"], *[second] * 4))
    check(catalogue)
    unit = unit_in(catalogue)
    assert unit.count == 8
    around = [one for one in catalogue.structures if unit.number in one.children]
    assert sorted(one.count for one in around) == [4, 4]
    assert [one.boxes for one in around] == [len(FIRST) + 1] * 2


def test_equal_units_of_two_kinds_of_layers_are_one_sub_structure() -> None:
    """Both kinds tell of it, each by itself."""
    first, second = (*FIRST, *UNIT, "Between", *UNIT), (*SECOND, *UNIT, "Amid", *UNIT)
    catalogue = recognise(in_a_row(["Begin"], *[first] * 4, ["Bridge"], *[second] * 4))
    check(catalogue)
    unit = unit_in(catalogue)
    assert unit.count == 16
    around = [one for one in catalogue.structures if unit.number in one.children]
    assert sorted(one.count for one in around) == [4, 4]
    assert [one.boxes for one in around] == [len(FIRST) + 3] * 2
