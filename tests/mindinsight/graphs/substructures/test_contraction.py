"""Occurrences become single nodes, one occurrence becomes a graph, and equal neighbours become one box."""

from __future__ import annotations

import numpy as np

from mindinsight.graphs.substructures.contraction import contract, part_of, spans_of
from mindinsight.graphs.substructures.series import fold
from mindinsight.graphs.substructures.work import (
    CONTROL_CLASS,
    LEAF,
    OUTSIDE,
    UNORDERED_CLASS,
    WIDEST_JOIN,
    Rows,
    WorkGraph,
    dense,
    plan_pattern,
)
from tests.mindinsight.graphs.substructures.small_works import Input, work_of


def rows_of(*rows: list[int]) -> Rows:
    return np.asarray(rows, np.int32)


def shown(work: WorkGraph) -> list[tuple[int, list[Input]]]:
    """The label of each node, with the source, slot and class of each input."""
    edges = list(zip(work.in_src.tolist(), work.in_slot.tolist(), work.in_class.tolist(), strict=True))
    starts = work.in_ptr.tolist()
    return [(int(work.label[node]), edges[starts[node] : starts[node + 1]]) for node in range(len(work))]


def blocks() -> WorkGraph:
    """A parameter (0), two blocks of three nodes (1 to 3, 4 to 6) and a head (7)."""
    work = work_of(
        [
            (0, []),
            (1, [0]),
            (2, [(1, 1, 0), (0, 0, CONTROL_CLASS)]),
            (3, [1, 2]),
            (1, [3]),
            (2, [(4, 1, 0), (0, 0, CONTROL_CLASS)]),
            (3, [4, 5]),
            (4, [(6, 0, 0), (5, 2, 1), (0, 0, UNORDERED_CLASS)]),
        ],
        leaves=[0],
        phases=[2, 0, 0, 0, 1, 1, 1, 2],
    )
    work.columns = np.arange(10, 18, dtype=np.int32)
    return work


def test_a_contracted_occurrence_keeps_its_ports_and_outputs() -> None:
    made = contract(blocks(), [(7, rows_of([1, 2, 3], [4, 5, 6]))])
    assert shown(made) == [
        (0, []),
        (5, [(0, 0, 0), (0, 0, CONTROL_CLASS)]),
        (5, [(1, 1, 0), (0, 0, CONTROL_CLASS)]),
        # Node 5 at its slot 2 is the first output that something outside reads, node 6 the second.
        (4, [(2, 1, 0), (2, 0, 1), (0, 0, UNORDERED_CLASS)]),
    ]
    assert made.names == {1: 7, 2: 7}
    assert {node: span.tolist() for node, span in made.spans.items()} == {1: [11, 12, 13], 2: [14, 15, 16]}
    assert made.flags.tolist() == [LEAF, 0, 0, 0]
    assert made.phase.tolist() == [2, 0, 1, 2]
    assert made.columns.tolist() == [10, 11, 14, 17]
    assert [made.in_ptr.dtype, made.in_src.dtype, made.in_slot.dtype, made.in_class.dtype, made.label.dtype] == [
        np.int64,
        *[np.int32] * 4,
    ]


def test_the_first_node_of_an_occurrence_need_not_be_its_first_in_the_graph() -> None:
    """Places decide about the ports; the last node of an occurrence decides where it stands."""
    made = contract(blocks(), [(0, rows_of([3, 1], [6, 4]))])
    assert shown(made) == [
        (0, []),
        (2, [(2, 1, 0), (0, 0, CONTROL_CLASS)]),
        (5, [(1, 0, 0), (0, 0, 1)]),
        (2, [(4, 1, 0), (0, 0, CONTROL_CLASS)]),
        (5, [(3, 0, 0), (2, 0, 1)]),
        (4, [(4, 0, 0), (3, 2, 1), (0, 0, UNORDERED_CLASS)]),
    ]


def test_several_patterns_get_labels_of_their_own_and_can_be_contracted_again() -> None:
    once = contract(blocks(), [(0, rows_of([1, 2])), (1, rows_of([4, 5]))])
    assert [label for label, _ in shown(once)] == [0, 5, 3, 6, 3, 4]
    assert once.names == {1: 0, 3: 1}
    assert spans_of(once, rows_of([2, 1])).tolist() == [[13, 11, 12]]
    twice = contract(once, [(2, rows_of([1, 2], [3, 4]))])
    assert twice.names == {1: 2, 2: 2}
    assert {node: span.tolist() for node, span in twice.spans.items()} == {1: [11, 12, 13], 2: [14, 15, 16]}
    assert [label for label, _ in shown(twice)] == [0, 7, 7, 4]


def test_nothing_to_contract_changes_nothing() -> None:
    assert shown(contract(blocks(), [])) == shown(blocks())


def test_columns_of_occurrences_are_those_of_their_nodes() -> None:
    assert spans_of(blocks(), rows_of([3, 1], [6, 4])).tolist() == [[13, 11], [16, 14]]


def test_an_occurrence_becomes_a_graph_that_begins_with_what_it_reads() -> None:
    once = contract(blocks(), [(9, rows_of([1, 2], [4, 5]))])
    assert [label for label, _ in shown(once)] == [0, 5, 3, 5, 3, 4]
    part = part_of(once, np.asarray([2, 3, 4], np.int32))
    # Strange nodes have a label that no other node has: the parameter 0 and the block 1.
    assert [label for label, _ in shown(part)] == [6, 6, 3, 5, 3]
    assert shown(part)[2:] == [
        (3, [(1, 0, 0), (1, 1, 1)]),
        (5, [(2, 0, 0), (0, 0, CONTROL_CLASS)]),
        (3, [(3, 0, 0), (3, 1, 1)]),
    ]
    assert part.columns.tolist() == [OUTSIDE, OUTSIDE, 0, 1, 3]
    assert {node: span.tolist() for node, span in part.spans.items()} == {3: [1, 2]}
    assert part.names == {3: 9}
    assert part.flags.tolist() == [0] * 5
    assert part.phase.tolist() == [2, 0, 0, 1, 1]
    assert part.in_ptr.tolist() == [0, 0, 0, 2, 4, 6]
    assert [part.in_ptr.dtype, part.in_src.dtype, part.columns.dtype, part.flags.dtype] == [
        *(np.int64, np.int32, np.int32, np.uint8)
    ]


def named(work: WorkGraph, **names: int) -> WorkGraph:
    work.names = {int(node[1:]): number for node, number in names.items()}
    return work


def test_a_row_of_equal_blocks_is_one_box() -> None:
    work = named(work_of([(0, []), (1, [0]), (1, [1]), (1, [2]), (2, [3]), (1, [4])]), n1=5, n2=5, n3=5, n5=5)
    folded = fold(work)
    assert (folded.boxes, folded.series) == (4, [(5, [1, 2, 3])])


def test_blocks_that_feed_another_kind_are_no_series() -> None:
    work = named(work_of([(0, []), (1, [0]), (2, [1]), (1, [2])]), n1=5, n2=6, n3=5)
    assert fold(work).boxes == 4
    assert fold(work).series == []


def test_equal_blocks_side_by_side_are_one_box() -> None:
    """They have the same inputs in the same order, and the same consumers."""
    alike = [(0, []), (0, []), (1, [0, 1]), (1, [0, 1]), (2, [2, 3])]
    assert fold(named(work_of(alike), n2=3, n3=3)).series == [(3, [2, 3])]
    assert fold(named(work_of(alike), n2=3, n3=3)).boxes == 4
    crossed = [(0, []), (0, []), (1, [0, 1]), (1, [1, 0]), (2, [2, 3])]
    assert fold(named(work_of(crossed), n2=3, n3=3)).boxes == 5
    apart = [(0, []), (0, []), (1, [0, 1]), (1, [0, 1]), (2, [2]), (2, [3])]
    assert fold(named(work_of(apart), n2=3, n3=3)).boxes == 6
    other_label = [(0, []), (0, []), (1, [0, 1]), (3, [0, 1]), (2, [2, 3])]
    assert fold(named(work_of(other_label), n2=3, n3=3)).boxes == 5


def test_nodes_outside_are_not_shown() -> None:
    work = named(work_of([(0, []), (1, [0]), (1, [1])]), n1=0, n2=0)
    work.columns[0] = OUTSIDE
    assert fold(work).boxes == 1


def test_a_plan_begins_at_its_anchor_and_goes_along_edges() -> None:
    """From node 4 to its inputs in order of ports and to theirs, then to its consumers; a leaf leads nowhere."""
    work = work_of([(0, []), (1, [0]), (2, [0]), (3, [1]), (4, [3, 2]), (5, [4]), (6, [0])], leaves=[0])
    plan = plan_pattern(work, np.asarray([0, 1, 2, 3, 4, 5], np.int32), 4)
    assert plan.nodes.tolist() == [4, 3, 2, 1, 0, 5]
    assert plan.before.tolist() == [0, 0, 0, 1, 2, 0]
    assert plan.edge.tolist() == [0, 3, 4, 2, 1, 5]
    assert plan.out.tolist() == [0, 0, 0, 0, 0, 1]
    assert plan.order.tolist() == [4, 3, 2, 1, 0, 5]
    # Without node 4 nothing but the leaf joins the two sides.
    assert plan_pattern(work, np.asarray([1, 2, 0], np.int32), 0).nodes.tolist() == [1, 0]
    shuffled = plan_pattern(work, np.asarray([5, 4, 3], np.int32), 2)
    assert (shuffled.nodes.tolist(), shuffled.order.tolist()) == ([3, 4, 5], [2, 1, 0])
    assert (shuffled.before.tolist(), shuffled.edge.tolist(), shuffled.out.tolist()) == (
        [0, 0, 1],
        [0, 3, 5],
        [0, 1, 1],
    )


def test_a_work_graph_knows_consumers_labels_and_joins() -> None:
    work = work_of([(3, []), (1, [0, 0]), (3, [1, 0]), (1, [])])
    assert work.in_dst.tolist() == [1, 1, 2, 2]
    assert (work.out_ptr.tolist(), work.out_edge.tolist()) == ([0, 3, 4, 4, 4], [0, 1, 3, 2])
    assert work.home.tolist() == [1, 2, -1, -1]
    assert (work.owner.tolist(), work.region.tolist(), work.place.tolist()) == ([-1] * 4, [0] * 4, [0] * 4)
    assert [work.with_label(label).tolist() for label in range(4)] == [[], [1, 3], [], [0, 2]]
    assert work.label_first.tolist() == [0, 0, 2, 2, 4]
    assert (len(work), work.edge_count) == (4, 4)
    assert work.columns_of(2).tolist() == [2]
    dtypes = {name: str(getattr(work, name).dtype) for name in WorkGraph.KERNEL_COLUMNS}
    assert dtypes == {
        **dict.fromkeys(("label", "in_src", "in_dst", "in_slot", "in_class", "out_edge"), "int32"),
        **dict.fromkeys(("home", "region", "owner", "place"), "int32"),
        **dict.fromkeys(("in_ptr", "out_ptr"), "int64"),
        **dict.fromkeys(("in_key", "out_key"), "uint64"),
        **dict.fromkeys(("in_tie", "out_tie", "flags"), "uint8"),
    }


def test_a_node_joins_from_one_input_more_than_the_limit() -> None:
    work = work_of([(0, []), (1, [0] * WIDEST_JOIN), (1, [0] * (WIDEST_JOIN + 1))])
    assert work.joins.tolist() == [False, False, True]


def test_dense_numbers_have_no_gaps() -> None:
    used, place = dense(np.asarray([7, 0, 7, 3]))
    assert (used.tolist(), place.tolist()) == ([0, 3, 7], [2, 0, 2, 1])
    used, place = dense(np.empty(0, np.int64))
    assert place.tolist() == []


def test_outputs_are_numbered_by_place_and_then_by_slot() -> None:
    """All that is read of an occurrence from outside: places 0 and 1, each at the slots 0 and 3."""
    read = [(place, slot, port) for port, (place, slot) in enumerate([(1, 3), (0, 0), (1, 0), (0, 3)])]
    made = contract(work_of([(0, []), (1, [0]), (2, read)]), [(0, rows_of([0, 1]))])
    assert shown(made) == [(3, []), (2, [(0, 3, 0), (0, 0, 1), (0, 2, 2), (0, 1, 3)])]
