"""What PyTorch's anomaly mode costs a training: `python debugger_torch.py CASE PAIRS STEPS` prints JSON.

The same blocks as in `debugger_cost.py`. Anomaly mode looks for NaN in what each backward function returns, and keeps
the stack of each forward one. Stands alone: the peer's environment runs it.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch  # type: ignore[import-not-found]

from benchmarks.measuring.framework_torch import CASES


def main() -> None:
    """Train, and print the seconds per step of each pair of blocks, with anomaly mode and without."""
    torch.set_num_threads(1)
    case, pairs, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    step = CASES[case]()

    def timed(anomaly: bool) -> tuple[float, float]:
        with torch.autograd.set_detect_anomaly(anomaly):
            step()
            clock, processor = time.perf_counter(), time.process_time()
            for _ in range(steps):
                step()
        return (time.perf_counter() - clock) / steps, (time.process_time() - processor) / steps

    found = []
    for number in range(pairs + 1):
        first = timed(True) if number % 2 else None
        without = timed(False)
        found.append((timed(True) if first is None else first, without))
    print(json.dumps(found[1:]))


if __name__ == "__main__":
    main()
