"""Times the cases of one library in a process of its own; the scripts `framework_*.py` beside it call `main`.

`python framework_X.py MODE SECONDS CASE...` prints one JSON object: microseconds per call by case, the median over as
many calls as fit into SECONDS, after two calls that do not count. Stands alone: any library's environment runs it.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from typing import cast

Case = Callable[[], Callable[[], object]]
LEAST = 3
SHORT_S = 5e-4
#: How many of what a case is about one call does.
PER_CALL = {"add8_recorded": 1000, "lenet_sunk": 100}
#: Cases whose calls return the seconds that count.
SELF_TIMED = ("lenet_sunk",)


def timed(call: Callable[[], object], seconds: float) -> float:
    """Seconds per call: the median; calls that are too short for the clock are timed in hundreds."""
    call()
    call()
    began = time.perf_counter()
    call()
    in_a_row = 100 if time.perf_counter() - began < SHORT_S else 1
    found: list[float] = []
    end = time.perf_counter() + seconds
    while len(found) < LEAST or time.perf_counter() < end:
        began = time.perf_counter()
        for _ in range(in_a_row):
            call()
        found.append((time.perf_counter() - began) / in_a_row)
    return statistics.median(found)


def self_timed(call: Callable[[], object], seconds: float) -> float:
    """The median of what the calls say that they took."""
    found: list[float] = []
    end = time.perf_counter() + seconds
    while len(found) < LEAST or time.perf_counter() < end:
        found.append(cast("float", call()))
    return statistics.median(found)


def main(cases: Mapping[str, Case]) -> None:
    """Times the cases that the command line names, those that the library has."""
    _, _, seconds, *wanted = sys.argv
    found: dict[str, float] = {}
    for name in wanted:
        if name in cases:
            began = time.perf_counter()
            call = cases[name]()
            # The first call compiles.
            call()
            found[f"{name}_first"] = (time.perf_counter() - began) * 1e6
            measure = self_timed if name in SELF_TIMED else timed
            found[name] = measure(call, float(seconds)) * 1e6 / PER_CALL.get(name, 1)
    print(json.dumps(found))
