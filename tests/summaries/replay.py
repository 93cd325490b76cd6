"""Reads files both ways with a compiled library that is named, in a process of its own that may be broken off.

`python -m tests.summaries.replay LIBRARY SEEDS [FILE ...]`: files made by chance, then the ones that are named. Run by
`test_sanitizers.py` with a library that checks its own memory.
"""

import sys
import tempfile
from pathlib import Path
from random import Random

import numpy as np

from summaries import EventFileReader
from summaries.kernel import library
from summaries.reading.small_files import SmallFileReader
from summaries.reading.walker import group
from summaries.rows import POINT
from summaries.writing.scalar_events import scalar_records

from .both_ways import read_both_ways
from .conftest import Hand
from .hostile import Hostile, plain_file


def main(target: str, seeds: str, *files: str) -> None:
    library.LIBRARY = library.load(Path(target))
    with tempfile.TemporaryDirectory() as folder:
        path, small = Path(folder, "file"), SmallFileReader(2, 100)
        for seed in range(int(seeds)):
            path.write_bytes(Hostile(seed).file())
            read_both_ways(path, [Random(seed).randint(1, 3000), 1 << 20])
            small.read([str(path)] * 2)
            path.write_bytes(b"".join(plain_file(Random(seed), Hand())))
            small.read([str(path)] * 2)
    for name in files:
        for size in (1 << 20, 50_000):
            reader = EventFileReader(name)
            while not reader.read(size).complete:
                pass
    for length in (1, 127, 1024):
        scalar_records([(step, 0.5, (("t" * length, float(step)),)) for step in range(-100, 5000)])
    numbers = np.arange(5000, dtype=np.int32) % 70
    group(numbers, np.zeros(5000, POINT), 70)
    print(f"{seeds} and {len(files)} files")  # noqa: T201 -- what the test waits for


if __name__ == "__main__":
    main(*sys.argv[1:])
