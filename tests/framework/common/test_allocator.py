"""Memory that arrays gave back is kept, unless the environment says otherwise."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import resource
import numpy as np
from framework.common import device
from framework.common.allocator import keep_pages
x = np.ones(1 << 20, np.float32)
for round in range(40):
    if round == 20:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    y = x * 2.0 + 1.0
    z = (y * x) + (x * 3.0)
    del y, z
print(keep_pages(), resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""
PAGES_OF_ONE_ARRAY = (1 << 22) // 4096


def run(**variables: str) -> tuple[str, int]:
    unset = ("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "GLIBC_TUNABLES")
    environment = {name: value for name, value in os.environ.items() if name not in unset} | variables
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, check=True, capture_output=True, text=True)
    kept, faults = done.stdout.split()
    return kept, int(faults)


@pytest.mark.skipif(sys.platform != "linux" or "glibc" not in os.confstr("CS_GNU_LIBC_VERSION"), reason="needs glibc")
def test_arrays_use_the_pages_of_those_before() -> None:
    kept, faults = run()
    assert kept == "True"
    assert faults < PAGES_OF_ONE_ARRAY
    # The measure can fail: as glibc comes, 20 rounds fault in the pages of their arrays each time.
    kept, faults = run(MALLOC_MMAP_THRESHOLD_="131072")
    assert kept == "False"
    assert faults > 20 * PAGES_OF_ONE_ARRAY
