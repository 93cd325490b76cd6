"""Redistribution: the numbers of every rank, and the bytes on the wire beside recorded ones of MindSpore."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from framework.communication.lockstep import current_world, run_ranks
from framework.parallel.layouts.cuts import cuts_of
from framework.parallel.layouts.executing import part_of, redistributed
from framework.parallel.layouts.placements import cut_of, mesh_of, steps_between
from framework.parallel.layouts.redistribution import redistribution, wire_bytes

FOLDER = Path(os.environ.get("CASES_PARALLEL", Path(__file__).resolve().parents[4] / "shared" / "data" / "parallel"))
RECORDED = FOLDER / "redistribution.jsonl"


def recorded() -> list[dict[str, Any]]:
    """Pairs of strategies, with the bytes of MindSpore with and without AlltoAll."""
    if not RECORDED.is_file():
        pytest.skip(f"there are no recorded cases in {FOLDER}; CASES_PARALLEL names their folder")
    pairs: dict[str, dict[str, Any]] = {}
    for line in RECORDED.read_text().splitlines():
        item = json.loads(line)
        case, result = item["case"], item["result"]
        name, _, way = case["id"].rpartition("_")
        pair = pairs.setdefault(name, {"shape": case["inputs"]["x"], "ranks": case["devices"]})
        pair["strategies"] = [op["strategy"][0] for op in case["ops"]]
        pair[way] = result["wire_bytes_per_rank"]
    return list(pairs.values())


def moved(shape: list[int], strategies: list[list[int]], ranks: int) -> None:
    """Redistribute numbers on ranks in one process, and compare every rank's part with numpy's."""
    source, target = cuts_of(shape, strategies, ranks)
    steps = redistribution(source, target)
    whole = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)

    def program() -> np.ndarray[Any, Any]:
        world = current_world()
        assert world is not None
        return redistributed(part_of(whole, source, world.rank), steps, world)

    for rank, found in enumerate(run_ranks(ranks, program)):
        # Cut by hand: neighbours hold the same; then the rank's place along each dimension, from the innermost.
        index, rest = [], rank // (ranks // math.prod(strategies[1]))
        for length, count in zip(reversed(shape), reversed(strategies[1]), strict=True):
            rest, place = divmod(rest, count)
            index.append(slice(place * (length // count), (place + 1) * (length // count)))
        assert np.array_equal(found, whole[tuple(reversed(index))]), (strategies, rank)


def test_recorded_pairs_send_at_most_what_mindspore_sends() -> None:
    fewer = 0
    for pair in recorded():
        source, target = cuts_of(pair["shape"], pair["strategies"], pair["ranks"])
        sent = wire_bytes(redistribution(source, target), 4 * int(np.prod(pair["shape"])))
        assert sent <= pair["a2a"], pair
        fewer += sent < pair["a2a"]
    assert fewer > 0


def test_recorded_pairs_have_the_right_numbers() -> None:
    most = 16 if os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long" else 8
    for pair in recorded():
        if pair["ranks"] <= most:
            # The numbers of the parts, not the lengths, make a case.
            moved([16] * len(pair["shape"]), pair["strategies"], pair["ranks"])


@pytest.mark.parametrize(
    ("shape", "strategies", "ranks"),
    [
        ([8, 8], [[4, 1], [1, 4]], 4), ([8, 8], [[2, 2], [4, 1]], 4), ([8, 8], [[1, 1], [2, 4]], 8),
        ([8, 8], [[2, 4], [4, 2]], 8), ([8, 8], [[2, 1], [1, 2]], 8), ([8, 6, 4], [[2, 2, 1], [1, 2, 2]], 4),
        ([6, 9], [[3, 1], [1, 3]], 3),
    ],
)  # fmt: skip
def test_every_rank_gets_its_part(shape: list[int], strategies: list[list[int]], ranks: int) -> None:
    moved(shape, strategies, ranks)


def test_the_cheapest_steps() -> None:
    rows, columns, whole = cuts_of([8, 8], [[4, 1], [1, 4], [1, 1]], 4)
    assert [step.kind for step in redistribution(rows, columns)] == ["all_to_all"]
    assert wire_bytes(redistribution(rows, columns), 256) == 0.75 * 64
    assert wire_bytes(redistribution(rows, whole), 256) == 3 * 64
    assert {step.kind for step in redistribution(whole, rows)} == {"slice"}
    assert redistribution(rows, rows) == []


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        ([3, 1], r"cuts dimension 0, of length 8, into 3"), ([2], "1 numbers for a tensor of 2 dimensions"),
        ([4, 4], "makes 16 parts, which must divide 8 ranks"),
    ],
)  # fmt: skip
def test_strategies_that_do_not_fit(strategy: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cuts_of([8, 8], [strategy], 8)


@pytest.mark.parametrize(
    ("ranks", "source", "target"),
    [
        (32, (0, 0, 0, 1, None), (None, 1, 0, 0, 0)),
        (32, (0, 1, 1, 1, 1), (1, 1, 1, 0, 0)),
        (6, (0, 0), (1, 0)),
        (12, (0, None, 1), (1, 1, 0)),
    ],
)
def test_placements_on_meshes_of_many_axes_and_of_other_primes(ranks: int, source: Any, target: Any) -> None:
    mesh, shape = mesh_of(ranks), (96, 96)
    steps = steps_between(shape, mesh, source, target)
    whole = np.arange(96.0 * 96).reshape(shape)
    first, second = (cut_of(shape, placement, mesh) for placement in (source, target))

    def program() -> np.ndarray[Any, Any]:
        world = current_world()
        assert world is not None
        return redistributed(part_of(whole, first, world.rank), steps, world)

    for rank, found in enumerate(run_ranks(ranks, program)):
        assert np.array_equal(found, part_of(whole, second, rank))
