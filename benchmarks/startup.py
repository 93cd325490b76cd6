"""The start time of the dashboard, its memory at rest, and what single parts of a start cost.

Each start is a new process, timed from its spawn to the printed address. The programs' files are in the page cache
after the first start. "First start" means an empty workspace, "usual start" one that was used before.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring.environments import our_program, plain_variables, tensorboard_program
from benchmarks.measuring.event_files import write_runs
from benchmarks.measuring.figures import Figure, Measurement, Options, median, run, say
from benchmarks.measuring.lean_imports import LEFT_OUT
from benchmarks.measuring.processes import Program, Weight, weigh

READY = "Web address: "
# What start-up has left behind is given back by then, and the reader is through with a dozen runs.
SETTLE_S = 4.0
TENSORBOARD = "TensorBoard 2.21"
MINDINSIGHT = "MindInsight 2.3.1"
START_TARGET_S, MEMORY_TARGET_MB, HELP_TARGET_S = 1.5, 200.0, 0.3
ROOT = Path(__file__).resolve().parent.parent
# Without the package, whose import would call some of the probes.
PROBES = """
import importlib.util, time
spec = importlib.util.spec_from_file_location("abi", "framework/common/abi.py")
abi = importlib.util.module_from_spec(spec)
spec.loader.exec_module(abi)
began = time.perf_counter_ns()
abi.require(*abi.LAYOUTS)
print((time.perf_counter_ns() - began) / 1000)
"""


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def our_command(program: Path, base: Path, workspace: Path) -> Sequence[str | Path]:
    """`mindinsight start`, staying in the foreground so that its processes are ours to weigh."""
    options: list[str | Path] = ["--summary-base-dir", base, "--workspace", workspace, "--port", str(free_port())]
    return [program, "start", *options, "--foreground"]


def time_start(program: Path, base: Path, workspace: Path) -> float:
    """Seconds from the spawn to the printed address."""
    with Program(our_command(program, base, workspace)) as dashboard:
        return dashboard.seconds_until_line(READY)[0]


def time_peer_start(program: Path, base: Path) -> float:
    """Seconds from the spawn to TensorBoard's first answer."""
    port = free_port()
    with Program([program, "--logdir", base, "--port", str(port), "--host", "127.0.0.1"]) as peer:
        return peer.seconds_until_answer(f"http://127.0.0.1:{port}/data/environment")


def measure_starts(options: Options) -> list[Figure]:
    """Times our starts and TensorBoard's in turn, on the same directory."""
    ours, peer = our_program(), tensorboard_program()
    first: list[float] = []
    usual: list[float] = []
    theirs: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        base, used = Path(folder, "summaries"), Path(folder, "used")
        write_runs(base)
        time_start(ours, base, used)
        for turn in range(options.times(7, 3)):
            say(f"start {turn + 1} …")
            first.append(time_start(ours, base, Path(folder, f"new_{turn}")))
            usual.append(time_start(ours, base, used))
            if peer is not None:
                theirs.append(time_peer_start(peer, base))
    compared = (median(theirs), TENSORBOARD) if theirs else (None, "")
    return [
        Figure("start_first", "first start, to the printed address", "s", median(first), START_TARGET_S, *compared),
        Figure("start_usual", "usual start, to the printed address", "s", median(usual), START_TARGET_S, *compared),
        Figure(
            "start_usual_recorded", "usual start, to the printed address", "s", median(usual), START_TARGET_S, 3.2,
            MINDINSIGHT, peer_recorded=True,
        ),
    ]  # fmt: skip


def weigh_started(command: Sequence[str | Path], ready: Callable[[Program], object]) -> Weight:
    """The memory of a program some seconds after its start."""
    with Program(command) as program:
        ready(program)
        time.sleep(SETTLE_S)
        return weigh(program.family())


def measure_memory(options: Options) -> list[Figure]:
    """Weighs all our processes on an empty directory and on a dozen runs, and TensorBoard's on the latter."""
    ours, peer = our_program(), tensorboard_program()
    with tempfile.TemporaryDirectory() as folder:
        empty, base = Path(folder, "empty"), Path(folder, "summaries")
        empty.mkdir()
        write_runs(base)
        weights = [
            weigh_started(our_command(ours, place, Path(folder, f"workspace_{place.name}")), _until_printed)
            for place in (empty, base)
        ]
        theirs = _weigh_peer(peer, base) if peer is not None else None
    for weight in weights:
        say("\n".join(f"{size:7.1f} MB  {name}" for name, size in weight.by_process.items()))
    compared = (theirs.rss if theirs else None, TENSORBOARD if theirs else "")
    pss = (theirs.pss if theirs else None, TENSORBOARD if theirs else "")
    empty_weight, full_weight = weights
    target = MEMORY_TARGET_MB
    return [
        Figure("memory_empty", "all processes, no runs (RSS)", "MB", empty_weight.rss, target),
        Figure("memory_12_runs", "all processes, 12 runs (RSS)", "MB", full_weight.rss, target, *compared),
        Figure("memory_12_runs_pss", "the same, shared pages counted once (PSS)", "MB", full_weight.pss, None, *pss),
        Figure(
            "memory_recorded", "all processes, 12 runs (RSS)", "MB", full_weight.rss, target, 230.0, MINDINSIGHT,
            peer_recorded=True,
        ),
    ]  # fmt: skip


def _until_printed(program: Program) -> None:
    program.seconds_until_line(READY)


def _weigh_peer(program: Path, base: Path) -> Weight:
    port = free_port()
    command: list[str | Path] = [program, "--logdir", base, "--port", str(port), "--host", "127.0.0.1"]
    address = f"http://127.0.0.1:{port}/data/environment"
    return weigh_started(command, lambda started: started.seconds_until_answer(address))


def measure_help(options: Options) -> list[Figure]:
    """Times what a person waits for who only asks what there is."""
    program = our_program()
    seconds = []
    for _ in range(options.times(15, 5) + 1):
        began = time.perf_counter()
        subprocess.run([program, "--help"], check=True, stdout=subprocess.DEVNULL, env=plain_variables())
        seconds.append(time.perf_counter() - began)
    return [Figure("help", "`mindinsight --help`", "s", median(seconds[1:]), HELP_TARGET_S)]


def measure_left_out(options: Options) -> list[Figure]:
    """Measures the import of each library that `mindinsight.config.lean` leaves out of the start of a process.

    Runs this Python, which has all these libraries. The time is the least, the memory (RSS) the median of several
    processes.
    """
    figures = []
    for process, libraries in LEFT_OUT.items():
        for name in libraries:
            say(f"{process}: {name} …")
            taken = [_import(process, name) for _ in range(options.times(11, 3))]
            key, what = f"{process.partition(' ')[0]}_{name}", f"import of {name}, which the {process} leaves out"
            figures.append(Figure(f"left_out_ms_{key}", what, "ms", min(ms for ms, _ in taken)))
            figures.append(Figure(f"left_out_mb_{key}", what, "MB", median([mb for _, mb in taken])))
    return figures


def _import(process: str, library: str) -> tuple[float, float]:
    """Milliseconds and megabytes of the import of a library that a process leaves out."""
    command = [sys.executable, "-m", "benchmarks.measuring.lean_imports", process, library]
    with tempfile.TemporaryDirectory() as folder:
        variables = {"SUMMARY_BASE_DIR": folder, "DATA_DIR": folder, "SECRET_KEY": "unused"}
        environment = os.environ | {f"MINDINSIGHT_{name}": value for name, value in variables.items()}
        done = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    taken = json.loads(done.stdout.splitlines()[-1])
    return taken["seconds"] * 1000, taken["bytes"] / 1e6


def measure_probes(options: Options) -> list[Figure]:
    """Times the probes of the layouts that machine code relies on, the first time in a process."""
    times = []
    for _ in range(options.times(25, 9)):
        done = subprocess.run([sys.executable, "-c", PROBES], cwd=ROOT, check=True, capture_output=True, text=True)
        times.append(float(done.stdout))
    return [Figure("abi_probes", "probes of all layouts of CPython and numpy, once", "µs", median(times))]


MEASUREMENTS: dict[Measurement, Sequence[str]] = {
    measure_starts: ("start_first", "start_usual", "start_usual_recorded"),
    measure_memory: ("memory_empty", "memory_12_runs", "memory_12_runs_pss", "memory_recorded"),
    measure_help: ("help",),
    measure_left_out: tuple(
        f"left_out_{unit}_{process.partition(' ')[0]}_{name}"
        for process, libraries in LEFT_OUT.items()
        for name in libraries
        for unit in ("ms", "mb")
    ),
    measure_probes: ("abi_probes",),
}

if __name__ == "__main__":
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
