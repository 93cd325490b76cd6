"""Times the cases of one library in a process of its own; the scripts `framework_*.py` beside it call `main`.

`python framework_X.py MODE SECONDS CASE...` prints one JSON object: microseconds per call by case, the median over as
many calls as fit into SECONDS, after twelve calls that do not count; for CASE_first those of the first call, with what
is built for it. Of the first case, CASE_peak is the most that was resident during its first calls, in MB, and CASE_rise
by how much that exceeds what was resident when all was built. Stands alone: any library's environment runs it.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

Case = Callable[[], Callable[[], object]]
LEAST = 3
#: Programs may be compiled once more after ten calls.
BEFORE = 12
FIRST_CALLS = 5
SHORT_S = 5e-4
#: How many of what a case is about one call does.
PER_CALL = {"add8_recorded": 1000, "lenet_sunk": 100}
#: Cases whose calls return the seconds that count.
SELF_TIMED = ("lenet_sunk",)


def timed(call: Callable[[], object], seconds: float) -> float:
    """Seconds per call: the median; calls that are too short for the clock are timed in hundreds."""
    for _ in range(BEFORE):
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


def resident_mb(what: str) -> float:
    """`VmRSS`, what is in memory now, or `VmHWM`, the most that was."""
    status = Path("/proc/self/status").read_text()
    return next(float(line.split()[1]) for line in status.splitlines() if line.startswith(what)) / 1000


def forget_peak() -> float:
    """Resets the memory peak, for example after imports; returns the resident size in MB."""
    Path("/proc/self/clear_refs").write_text("5")
    return resident_mb("VmRSS")


def main(cases: Mapping[str, Case]) -> None:
    """Times the cases that the command line names, those that the library has."""
    _, _, seconds, *wanted = sys.argv
    found: dict[str, float] = {}
    for name in wanted:
        if name in cases:
            began = time.perf_counter()
            call = cases[name]()
            before = None if found else forget_peak()
            # The first call compiles.
            call()
            found[f"{name}_first"] = (time.perf_counter() - began) * 1e6
            if before is not None:
                for _ in range(FIRST_CALLS):
                    call()
                found[f"{name}_peak"] = resident_mb("VmHWM")
                found[f"{name}_rise"] = found[f"{name}_peak"] - before
            measure = self_timed if name in SELF_TIMED else timed
            found[name] = measure(call, float(seconds)) * 1e6 / PER_CALL.get(name, 1)
    print(json.dumps(found))
