"""Every collective once, on the ranks that there are: run by MPI as a program, and in one process by the tests.

    mpirun -n 4 python every_collective.py FOLDER

writes the results of each rank into the folder.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from framework import communication
from framework.communication import collectives

#: Lengths around the limits of the algorithms, and one that no number of ranks divides.
LENGTHS = (1, 12, 1001, 36_001)
KINDS = (np.float32, np.float64, np.float16, np.int32, np.bool_)
REDUCTIONS = ("sum", "max", "min", "prod")


def tensor(rank: int, length: int, kind: Any) -> np.ndarray[Any, Any]:
    """What a rank brings: numbers whose sum depends on the order."""
    drawn = np.random.default_rng((rank, length)).standard_normal(length) * 10.0 ** (rank % 3)
    return (drawn > 0) if kind is np.bool_ else drawn.astype(kind)


def results() -> dict[str, Any]:
    """The results of this rank, by a name for each call."""
    communication.init()
    rank, size = communication.get_rank(), communication.get_group_size()
    found: dict[str, Any] = {}
    for kind in KINDS:
        for length in LENGTHS:
            for op in REDUCTIONS:
                name = f"all_reduce {op} {np.dtype(kind)} {length}"
                found[name] = collectives.all_reduce(tensor(rank, length, kind), op, "world")
    rows = tensor(rank, 12 * size, np.float32).reshape(2 * size, 6)
    calls: dict[str, Callable[[], Any]] = {
        "all_gather": lambda: collectives.all_gather(rows, "world"),
        "reduce_scatter sum": lambda: collectives.reduce_scatter(rows, "sum", "world"),
        "reduce_scatter max": lambda: collectives.reduce_scatter(rows, "max", "world"),
        "broadcast": lambda: collectives.broadcast(rows, size - 1, "world"),
        "reduce": lambda: collectives.reduce(rows, 1, "sum", "world"),
        "reduce of integers": lambda: collectives.reduce(rows.astype(np.int64), 0, "prod", "world"),
        "gather": lambda: collectives.gather(rows, 1, "world"),
        "scatter": lambda: collectives.scatter(rows, 0, "world"),
        "all_to_all": lambda: np.stack(collectives.all_to_all(np.split(rows, size), "world")),
        "exchange": lambda: collectives.exchange(
            [((rank + 1) % size, rows[:rank])], [((rank - 1) % size, ((rank - 1) % size, 6), rows.dtype)], "world"
        )[0],
    }
    for name, call in calls.items():
        found[name] = call()
    found.update(of_groups(rank, size, rows))
    collectives.barrier("world")
    return {name: x for name, x in found.items() if x is not None}


def of_groups(rank: int, size: int, rows: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Results within a group whose order is not that of the ranks, and messages between two of its ranks."""
    found: dict[str, Any] = {}
    members = [size - 1, 0]
    if rank in members:
        communication.create_group("ends", members)
        found["gather of a group"] = collectives.all_gather(rows, "ends")
        found["rank in the group"] = np.array([communication.get_rank("ends"), communication.get_group_size("ends")])
        if communication.get_rank("ends") == 0:
            collectives.send(rows, 1, 5, "ends")
            collectives.send(rows + 1, 1, 5, "ends")
        else:
            found["first"] = collectives.receive(0, 5, rows.shape, rows.dtype, "ends")
            found["second"] = collectives.receive(0, 5, rows.shape, rows.dtype, "ends")
        communication.destroy_group("ends")
    found["local"] = np.array([communication.get_local_rank(), communication.get_local_rank_size()])
    return found


if __name__ == "__main__":
    of_rank = results()
    np.savez(Path(sys.argv[1]) / f"{communication.get_rank()}.npz", **of_rank)
