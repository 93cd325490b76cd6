"""Reads a trace with PyTorch's plug-in of TensorBoard and adds it up, as its server does. Runs in its environment."""

from __future__ import annotations

import json
import sys
import tempfile
import time

from torch_tb_profiler.profiler.data import RunProfileData  # type: ignore[import-not-found]

if __name__ == "__main__":
    begun = time.process_time()
    data = RunProfileData.parse("worker", "", sys.argv[1], tempfile.mkdtemp())
    data.process()
    data.analyze()
    sys.stdout.write(json.dumps({"seconds": time.process_time() - begun}))
