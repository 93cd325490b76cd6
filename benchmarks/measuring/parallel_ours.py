"""All-reduce and waiting of this core's ranks beside bare MPI, in the same processes: a program for `mpirun`.

Called by `benchmarks/parallel.py` with the numbers of bytes and of repetitions; rank 0 prints one JSON object.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from mpi4py import MPI

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from framework import Tensor, communication, ops

WAIT_S = 2.0


def bare(x: np.ndarray, out: np.ndarray) -> None:
    """MPI's own all-reduce; with more ranks than processors, in the way that does not keep one busy."""
    if len(COMM_NAMES) <= PROCESSORS:
        COMM.Allreduce(x, out)
        return
    request, pause = COMM.Iallreduce(x, out), 0.0
    while not request.Test():
        time.sleep(pause)
        pause = min(max(2 * pause, 50e-6), 1e-3)


def seconds_of(call: Callable[[], object], times: int) -> list[float]:
    """Wall times of a call that all ranks make together."""
    found = []
    for _ in range(times):
        COMM.Barrier()
        began = time.perf_counter()
        call()
        found.append(time.perf_counter() - began)
    return found


def main() -> None:
    """Measure every size in turn, ours and MPI's alternating."""
    times = int(sys.argv[1])
    reduce = ops.AllReduce()
    result: dict[str, dict[str, float]] = {"ours": {}, "mpi": {}}
    for size in map(int, sys.argv[2:]):
        x = np.random.default_rng(communication.get_rank()).standard_normal(size // 4).astype(np.float32)
        out, tensor = np.empty_like(x), Tensor(x)
        ours: list[float] = []
        theirs: list[float] = []
        for _ in range(4):
            ours += seconds_of(lambda tensor=tensor: reduce(tensor), times // 4)
            theirs += seconds_of(lambda x=x, out=out: bare(x, out), times // 4)
        result["ours"][str(size)] = statistics.median(ours)
        result["mpi"][str(size)] = statistics.median(theirs)
    result["idle"] = {"share": share_of_a_waiting_rank()}
    if communication.get_rank() == 0:
        print(json.dumps(result), flush=True)


def share_of_a_waiting_rank() -> float:
    """The share of a processor that ranks use while they wait for rank 0, on average."""
    COMM.Barrier()
    began = time.process_time()
    if communication.get_rank() == 0:
        time.sleep(WAIT_S)
    ops.Barrier()()
    used = COMM.gather((time.process_time() - began) / WAIT_S, 0)
    return statistics.mean(used[1:]) if used else 0.0


communication.init()
COMM = MPI.COMM_WORLD
COMM_NAMES = COMM.allgather(MPI.Get_processor_name())
PROCESSORS = len(os.sched_getaffinity(0))

if __name__ == "__main__":
    main()
