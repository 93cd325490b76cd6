"""How long the reader takes for one whole event file, in a process of its own.

`python benchmarks/measuring/parse_calls.py FILE REPEATS` prints one JSON object: seconds of each reading and the number
of values that were read. Runs in the environment of the wheel, as the dashboard does.
"""

from __future__ import annotations

import json
import sys
import time

from summaries.reading.reader import EventFileReader


def read_file(path: str) -> tuple[float, int]:
    """Seconds for a file, read window by window, and how many values it has."""
    began = time.perf_counter()
    reader = EventFileReader(path)
    values, complete = 0, False
    while not complete:
        batch = reader.read()
        if batch.damage_count:
            raise ValueError(f"{path} is damaged: {batch.damages[0].message}")
        values, complete = values + len(batch.points) + len(batch.places), batch.complete
    return time.perf_counter() - began, values


def main() -> None:
    """Reads the file once to warm up, then as often as asked."""
    path, repeats = sys.argv[1], int(sys.argv[2])
    readings = [read_file(path) for _ in range(repeats + 1)][1:]
    print(json.dumps({"seconds": [seconds for seconds, _ in readings], "values": readings[0][1]}))


if __name__ == "__main__":
    main()
