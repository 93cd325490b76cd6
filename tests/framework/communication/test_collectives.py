"""Collectives against numpy, within one process and between processes of MPI: the same bits in both."""

from __future__ import annotations

from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from framework.communication.lockstep import run_ranks
from tests.framework.communication.every_collective import KINDS, LENGTHS, REDUCTIONS, results, tensor
from tests.framework.communication.mpi_programs import needs_mpi, run_mpi

NUMPY: dict[str, Any] = {"sum": np.add, "max": np.maximum, "min": np.minimum, "prod": np.multiply}
OF_BOOL: dict[str, Any] = {
    "sum": np.logical_or, "max": np.logical_or, "min": np.logical_and, "prod": np.logical_and,
}  # fmt: skip


@pytest.fixture(scope="module")
def of_four() -> list[dict[str, Any]]:
    return run_ranks(4, results)


@pytest.mark.parametrize("op", REDUCTIONS)
def test_all_reduce_adds_in_pairs(of_four: list[dict[str, Any]], op: str) -> None:
    for kind in KINDS:
        combine = (OF_BOOL if kind is np.bool_ else NUMPY)[op]
        for length in LENGTHS:
            x = [tensor(rank, length, kind) for rank in range(4)]
            wanted = combine(combine(x[0], x[1]), combine(x[2], x[3]))
            for found in of_four:
                got = found[f"all_reduce {op} {np.dtype(kind)} {length}"]
                assert got.dtype == kind
                assert np.array_equal(got, wanted), (kind, length)


def test_every_collective_against_numpy(of_four: list[dict[str, Any]]) -> None:
    rows = [tensor(rank, 48, np.float32).reshape(8, 6) for rank in range(4)]
    whole = np.concatenate(rows)
    for rank, found in enumerate(of_four):
        mine = slice(2 * rank, 2 * rank + 2)
        assert np.array_equal(found["all_gather"], whole)
        assert np.array_equal(found["reduce_scatter max"], reduce(np.maximum, rows)[mine])
        np.testing.assert_allclose(found["reduce_scatter sum"], sum(rows)[mine], rtol=1e-5, atol=1e-4)
        assert np.array_equal(found["broadcast"], rows[3])
        assert np.array_equal(found["scatter"], rows[0][mine])
        assert np.array_equal(found["all_to_all"], [item[mine] for item in rows])
        assert np.array_equal(found["exchange"], rows[(rank - 1) % 4][: (rank - 1) % 4])
        assert ("gather" in found, "reduce" in found) == (rank == 1, rank == 1)
        assert found["local"].tolist() == [rank, 4]
    assert np.array_equal(of_four[1]["gather"], whole)
    np.testing.assert_allclose(of_four[1]["reduce"], sum(rows), rtol=1e-5, atol=1e-4)
    assert np.array_equal(of_four[0]["reduce of integers"], reduce(np.multiply, [x.astype(np.int64) for x in rows]))
    # The group [3, 0]: its rank 0 is rank 3 of all.
    assert [of_four[rank]["rank in the group"].tolist() for rank in (3, 0)] == [[0, 2], [1, 2]]
    assert np.array_equal(of_four[0]["gather of a group"], np.concatenate([rows[3], rows[0]]))
    assert np.array_equal(of_four[0]["first"], rows[3])
    assert np.array_equal(of_four[0]["second"], rows[3] + 1)


@needs_mpi
@pytest.mark.processes
@pytest.mark.parametrize("ranks", [3, 4])
def test_processes_have_the_same_bits(ranks: int, tmp_path: Path) -> None:
    done = run_mpi(ranks, Path(__file__).with_name("every_collective.py"), str(tmp_path))
    assert done.returncode == 0, done.stderr
    for rank, wanted in enumerate(run_ranks(ranks, results)):
        with np.load(tmp_path / f"{rank}.npz") as found:
            assert set(found) == set(wanted)
            for name, x in wanted.items():
                assert found[name].dtype == x.dtype, name
                assert np.array_equal(found[name], x), (rank, name)
