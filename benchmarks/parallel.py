"""All-reduce over the ranks of a training, beside bare MPI and PyTorch's gloo, and what a waiting rank costs.

Each size is measured in the same processes with this core's operator and with MPI's own call, alternating; gloo runs
before and after. The operator adds in a fixed order, which MPI does not promise. With more ranks than processors, all
times are those of a machine that is shared.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring.environments import TORCH, torch_python
from benchmarks.measuring.figures import Figure, Measurement, Options, run, say
from mindinsight.cli.run import find_mpirun

HERE = Path(__file__).parent / "measuring"
SIZES = {"4kB": 4096, "64kB": 65_536, "1MB": 1 << 20, "16MB": 1 << 24}
RANKS = (2, 4)
#: Of bare MPI's time, from 64 kB on.
MOST_OVER_MPI = 1.3
MOST_IDLE = 0.05
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def ours(ranks: int, times: int) -> dict[str, dict[str, float]]:
    """Seconds by kind and size, of this core and of bare MPI.

    Raises:
        RuntimeError: there is no mpirun, or a rank failed.
    """
    mpirun = find_mpirun()
    if mpirun is None:
        raise RuntimeError("there is no mpirun: pip install 'mindinsight[parallel]'")
    command = [mpirun, "-n", str(ranks), sys.executable, str(HERE / "parallel_ours.py"), str(times)]
    done = subprocess.run(
        [*command, *map(str, SIZES.values())], env={**os.environ, **ONE_THREAD}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr)
    return dict(json.loads(done.stdout))


def gloo(python: Path, ranks: int, times: int) -> dict[str, float]:
    """Seconds by size of torch.distributed with gloo."""
    with tempfile.TemporaryDirectory() as folder:
        started = [
            subprocess.Popen(
                [
                    str(python), str(HERE / "parallel_torch.py"), str(rank), str(ranks), str(times),
                    f"file://{folder}/meeting", *map(str, SIZES.values()),
                ],
                env={**os.environ, **ONE_THREAD}, stdout=subprocess.PIPE, text=True,
            )
            for rank in range(ranks)
        ]  # fmt: skip
        printed = [process.communicate()[0] for process in started]
    return dict(json.loads(printed[0]))


def measuring(ranks: int) -> Measurement:
    """The measurement for a number of ranks."""

    def measure(options: Options) -> Sequence[Figure]:
        times = options.times(100, 20)
        say(f"{ranks} ranks ...")
        python = torch_python()
        before = gloo(python, ranks, times) if python else None
        found = ours(ranks, times)
        after = gloo(python, ranks, times) if python else None
        figures = []
        for name, size in SIZES.items():
            own, bare = found["ours"][str(size)], found["mpi"][str(size)]
            peer = min(before[str(size)], after[str(size)]) * 1e6 if before and after else None
            what = f"all-reduce of {name} of Float32 over {ranks} ranks"
            figures.append(Figure(f"all_reduce_{name}_{ranks}", what, "µs", own * 1e6, peer, peer, f"{TORCH}, gloo"))
            target = MOST_OVER_MPI if size >= SIZES["64kB"] else None
            figures.append(
                Figure(f"over_mpi_{name}_{ranks}", f"{what}, of the time of bare MPI", "times", own / bare, target)
            )
        crowded = ranks > (os.cpu_count() or 1)
        what = f"processor that a rank of {ranks} uses while it waits"
        figures.append(Figure(f"idle_{ranks}", what, "share", found["idle"]["share"], MOST_IDLE if crowded else None))
        return figures

    return measure


MEASUREMENTS: dict[Measurement, list[str]] = {
    measuring(ranks): [
        *(f"{kind}_{name}_{ranks}" for name in SIZES for kind in ("all_reduce", "over_mpi")),
        f"idle_{ranks}",
    ]
    for ranks in RANKS
}

if __name__ == "__main__":
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
