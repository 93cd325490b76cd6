"""Reads a trace and answers what a page asks first, in a process of its own. Called by `profiler.py`.

`profile_calls.py first TRACE FOLDER` makes the columns; `again` opens them; `window` adds windows up. Prints processor
seconds and bytes as JSON.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from mindinsight.profiles.columns.making import make_columns
from mindinsight.profiles.columns.stored import Stored
from mindinsight.profiles.columns.sums import busy, sums
from mindinsight.profiles.columns.window import drawn

WIDTH = 1300
WINDOWS = 20


def first(trace: Path, folder: Path) -> dict[str, float]:
    """The first opening: from the file to what the page draws."""
    folder.mkdir(parents=True)
    begun = time.process_time()
    with trace.open("rb") as file:
        make_columns(file, folder)
    _look(folder)
    seconds = time.process_time() - begun
    return {
        "seconds": seconds,
        "bytes": sum(path.stat().st_size for path in folder.iterdir()),
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def again(_trace: Path, folder: Path) -> dict[str, float]:
    """Another opening."""
    begun = time.process_time()
    _look(folder)
    return {"seconds": time.process_time() - begun}


def window(_trace: Path, folder: Path) -> dict[str, float]:
    """The slowest of several windows that is added up, from the whole profile to a hundredth of it."""
    profile = Stored(folder)
    length = profile.head["length"]
    times = []
    for number in range(WINDOWS):
        width = int(length * (1 - number / WINDOWS)) or 1
        begin = (length - width) * number // WINDOWS
        begun = time.process_time()
        sums(profile, begin, begin + width)
        times.append(time.process_time() - begun)
    return {"seconds": max(times)}


def _look(folder: Path) -> None:
    profile = Stored(folder)
    length = profile.head["length"]
    drawn(profile, 0, 2 * length, 2 * WIDTH)
    sums(profile, 0, length)
    busy(profile, 0, length)


if __name__ == "__main__":
    what, *paths = sys.argv[1:]
    found = {"first": first, "again": again, "window": window}[what](*map(Path, paths))
    sys.stdout.write(json.dumps(found))
