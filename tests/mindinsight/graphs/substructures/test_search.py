"""Exact results for graphs with known repeats: at the limits of the search, and one beyond."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from benchmarks.measuring.graph_planted import Planted, experts, planted, training, transformer
from mindinsight.graphs.model import Graph
from mindinsight.graphs.substructures import Catalogue, recognise
from mindinsight.graphs.substructures.search import _has_grown
from mindinsight.graphs.substructures.seeds import Bucket, buckets
from tests.mindinsight.graphs.substructures.small_graphs import Op, graph_of
from tests.mindinsight.graphs.substructures.small_works import work_of

Found = tuple[int, int, str, int, list[int], str, int]
Shape = tuple[int, int, list[tuple[int, list[int]]]]

pytestmark = pytest.mark.usefixtures("with_kernel")


def told(catalogue: Catalogue) -> list[Found]:
    """Count, size, name, parent, children, phase and boxes of all sub-structures."""
    return [(s.count, s.size, s.name, s.parent, s.children, s.phase_name, s.boxes) for s in catalogue.structures]


def shapes(catalogue: Catalogue) -> list[Shape]:
    """Count, size and variants of all sub-structures; a variant's count and places."""
    return [(s.count, s.size, [(len(v.nodes), v.places) for v in s.variants]) for s in catalogue.structures]


LAYERS = transformer(6)
CHANGED = transformer(10).changed("layer", 0.2, 2)


@pytest.mark.parametrize(
    ("made", "shown", "expected"),
    [
        pytest.param(
            LAYERS,
            12,
            [(6, 48, "Layer", -1, [1], "forward", 30), (36, 4, "Dense", 0, [], "forward", 4)],
            id="layers",
        ),
        pytest.param(
            LAYERS.without_scopes(),
            12,
            [
                (6, 48, "MatMul + BiasAdd + BatchMatMul …", -1, [1], "forward", 30),
                (36, 4, "MatMul + BiasAdd", 0, [], "forward", 4),
            ],
            id="no scopes",
        ),
        pytest.param(
            experts(3, 3),
            5,
            [(9, 16, "Expert", -1, [], "forward", 16), (3, 59, "Layer", -1, [0], "forward", 12)],
            id="experts",
        ),
        pytest.param(
            training(3),
            5,
            [
                (48, 5, "Adam", -1, [], "optimizer", 5),
                (3, 85, "Layer gradient", -1, [2], "backward", 49),
                (18, 7, "BiasAddGrad + MatMulGrad", 1, [], "backward", 7),
                (3, 48, "Layer", -1, [4], "forward", 30),
                (18, 4, "Dense", 3, [], "forward", 4),
            ],
            id="training",
        ),
    ],
)
def test_networks_have_exactly_these_sub_structures(made: Planted, shown: int, expected: list[Found]) -> None:
    catalogue = recognise(made.graph())
    assert told(catalogue) == expected
    assert catalogue.boxes == shown
    occurrences = [{frozenset(row) for row in structure.nodes.tolist()} for structure in catalogue.structures]
    for truth in made.truth.values():
        assert {frozenset(row) for row in truth.tolist()} in occurrences


def test_layers_with_a_changed_operator_are_shown_with_one_box_more_for_each_kind() -> None:
    catalogue = recognise(CHANGED.graph())
    assert shapes(catalogue) == [(8, 48, [(1, [15]), (1, [18])]), (48, 4, [])]
    assert [structure.boxes for structure in catalogue.structures] == [32, 4]


def apart(size: int, count: int, changes: Sequence[Sequence[int]] = ()) -> Graph:
    """Equal rows of operators that nothing joins, and one more row for each change, with other operators there."""
    operators: list[Op] = []
    for changed in [()] * count + list(changes):
        for place in range(size):
            inputs = [len(operators) - 1] if place else []
            operators.append(Op(f"Op{place}{'x' * (place in changed)}", inputs))
    return graph_of(operators)


@pytest.mark.parametrize(
    ("size", "count", "changed", "expected"),
    [
        # An eighth of the nodes may differ: none of eight, one of nine to sixteen, two of seventeen.
        (8, 3, [3], [(3, 8, [])]),
        (9, 3, [3], [(3, 9, [(1, [3])])]),
        (9, 4, [3], [(4, 9, [(1, [3])])]),
        (9, 3, [3, 5], [(3, 9, [])]),
        (16, 3, [3, 5], [(3, 16, [])]),
        (17, 3, [3, 5], [(3, 17, [(1, [3, 5])])]),
        # Two occurrences are too few for others to be nearly the same; what is left of three counts by itself.
        (16, 2, [3, 5], [(3, 10, [])]),
        (17, 2, [3, 5], [(3, 11, [])]),
        (9, 2, [3], []),
    ],
)
def test_how_much_may_differ(size: int, count: int, changed: list[int], expected: list[Shape]) -> None:
    catalogue = recognise(apart(size, count, [changed]))
    assert shapes(catalogue) == expected
    for structure in catalogue.structures:
        assert structure.boxes == structure.size + sum(len(variant.places) for variant in structure.variants)


@pytest.mark.parametrize(("least", "expected"), [(2, [(8, 4, [])]), (4, [(8, 4, [])]), (5, [])])
def test_the_least_size_is_enough_and_one_less_is_not(least: int, expected: list[Shape]) -> None:
    assert shapes(recognise(apart(4, 8), min_size=least)) == expected


def test_each_round_tells_half_of_what_is_left() -> None:
    shares: list[float] = []
    recognise(apart(9, 5), progress=shares.append)
    assert shares == [0.5, 0.75, 1.0]


def in_a_row(period: int, shift: int, *, scopes: bool) -> Graph:
    """Eight blocks in a row that begin in the midst of a scope."""
    scope = "Default/{}-Block" if scopes else ""
    numbers = range(shift, 8 * period + shift)
    return graph_of(
        [Op(f"Op{n % period}", [n - shift - 1] if n > shift else [], scope.format(n // period)) for n in numbers]
    )


@pytest.mark.parametrize(
    ("period", "shift", "scopes", "count", "size", "first"),
    [
        # The first operator has no input, so it is another node than its like.
        (9, 0, False, 8, 8, 1),
        (9, 3, False, 8, 8, 1),
        (9, 0, True, 8, 8, 1),
        # As scopes cut, there is a block less.
        (9, 3, True, 7, 9, 6),
        (12, 3, True, 7, 12, 9),
        # Blocks of fewer than two times the least size stay as they have grown.
        (7, 3, True, 7, 7, 1),
        (8, 3, True, 8, 7, 1),
    ],
)
def test_scopes_may_cost_a_block(period: int, shift: int, scopes: bool, count: int, size: int, first: int) -> None:
    (block,) = recognise(in_a_row(period, shift, scopes=scopes)).structures
    assert (block.count, block.size) == (count, size)
    names = sorted(int(block.graph.text("name", int(node))) for node in block.nodes[0])
    assert names == list(range(first, first + size))
    assert block.name.startswith("Op") != (scopes and (shift == 0 or size >= 9))


def forked_in_a_row(shift: int) -> Graph:
    """Eight blocks of nine operators in a row that begin somewhere; the way forks behind A and meets in E."""
    nodes: list[tuple[str, list[int]]] = []
    for first in range(0, 81, 9):
        nodes += [("A", [first - 1] if first else []), ("B", [first]), ("C", [first]), ("D", [first + 2])]
        nodes += [("E", [first + 1, first + 3]), *[(op, [first + 4 + number]) for number, op in enumerate("FGHI")]]
    taken = nodes[shift : shift + 72]
    return graph_of([Op(op, [source - shift for source in inputs if source >= shift]) for op, inputs in taken])


@pytest.mark.parametrize(("shift", "count", "size", "first"), [(0, 8, 8, 1), (1, 7, 9, 9), (3, 7, 9, 7), (5, 8, 8, 1)])
def test_forks_cost_nothing(shift: int, count: int, size: int, first: int) -> None:
    """Blocks begin behind a fork, except where this would save less."""
    (block,) = recognise(forked_in_a_row(shift)).structures
    assert (block.count, block.size) == (count, size)
    names = sorted(int(block.graph.text("name", int(node))) for node in block.nodes[0])
    assert names == list(range(first, first + size))


def test_a_repeat_of_two_boxes_is_found_in_the_second_round() -> None:
    """The least size is one of nodes, not of boxes."""
    catalogue = recognise(planted(500, 2, 4, 15, labels=6, seed=6).graph())
    found = [(s.count, s.size, s.boxes, s.children) for s in catalogue.structures]
    assert found == [(4, 15, 15, []), (4, 14, 2, [2]), (4, 13, 13, [])]
    assert (catalogue.boxes, catalogue.dictionary) == (392, 30)


@pytest.mark.parametrize(
    ("around", "gained", "grown"),
    [
        # More than half are covered by 0.9 to 1.5 times as many occurrences.
        ([9, 15, 8, 16, 9], [0] * 5, True),
        ([9, 15, 8, 16], [0] * 4, False),
        # More than nine of ten are a part of what saves as much, and occurs half as often at most.
        ([5] * 10, [20] * 10, True),
        ([5] * 10, [20] * 9 + [19], False),
        ([5] * 11, [20] * 10 + [19], True),
        ([6] * 10, [20] * 10, False),
        ([0] * 4, [0] * 4, False),
    ],
)
def test_what_has_grown_already_is_no_seed(around: list[int], gained: list[int], grown: bool) -> None:
    bucket = Bucket(10, 20, np.zeros((1, 10), np.int32))
    assert _has_grown(bucket, np.asarray(around, np.int32), np.asarray(gained, np.int32)) is grown


def test_seeds_are_classes_of_equal_colour_the_most_promising_first() -> None:
    work = work_of([(0, [])] * 9, leaves=[8])
    work.region[7] = -1
    colours = {
        0: np.asarray([1, 1, 1, 2, 2, 2, 3, 3, 3], np.uint64),
        1: np.asarray([5, 6, 5, 7, 7, 9, 5, 5, 5], np.uint64),
    }
    found = [(bucket.count, bucket.potential, bucket.classes.tolist()) for bucket in buckets(work, colours)]
    # Nodes 7 and 8 may not grow. Node 6 was alone, so it stays so.
    assert found == [(3, 6, [[0, 1, 2], [3, 4, 5]]), (2, 3, [[0, 2], [3, 4]])]
