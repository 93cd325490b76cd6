"""Lets atheris look for bytes that harm the reader, or that its two ways of reading do not agree on.

`python -m tests.summaries.fuzz_reader [options of libFuzzer] [CORPUS]`; `test_fuzz.py` runs it for a while.
"""

import atexit
import shutil
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["summaries"]):
    pass

from .both_ways import read_both_ways
from .hostile import file_from

_path = Path(tempfile.mkdtemp(prefix="fuzz-reader-"), "file")
atexit.register(shutil.rmtree, _path.parent)


def one_input(data: bytes) -> None:
    """Read the file in `data`."""
    _path.write_bytes(file_from(data))
    read_both_ways(_path, [1 + len(data), 1 << 20])


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
