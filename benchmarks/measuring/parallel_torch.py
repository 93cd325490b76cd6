"""All-reduce of torch.distributed with gloo: the program of one rank, started by `benchmarks/parallel.py`."""

from __future__ import annotations

import json
import statistics
import sys
import time

import torch
import torch.distributed as dist


def main() -> None:
    """Measure every size; rank 0 prints one JSON object."""
    rank, ranks, times, address = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=address, rank=rank, world_size=ranks)
    found = {}
    for size in map(int, sys.argv[5:]):
        x = torch.randn(size // 4)
        seconds = []
        for _ in range(times):
            dist.barrier()
            began = time.perf_counter()
            dist.all_reduce(x)
            seconds.append(time.perf_counter() - began)
            x.div_(ranks)
        found[str(size)] = statistics.median(seconds)
    if rank == 0:
        print(json.dumps(found), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
