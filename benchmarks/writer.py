"""The cost of recording for a training: the time of a call in the training's own thread.

Each writer runs in a separate process, on the same values. Arrays come with a pause of 30 ms before each, as between
steps, or a dozen in a row, as the layers of a network. Ours copies an array and returns, so its time cannot be below
that of a bare copy into memory in use. That copy is shown, too: after a pause as a peer, because caches and memory need
a moment to wake up, and back to back, which is the limit of the machine's memory. Two more lower bounds are shown: the
time of merely reading the array, the limit for anything that looks at each element once, and the time of copying half
of it, the limit for two threads. A Parameter of this framework is not copied at all: while the writer holds its array,
the training's next step makes another one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring.environments import ROOT, plain_variables, tensorboardx_python
from benchmarks.measuring.figures import Figure, Measurement, Options, run, say

SCRIPT = ROOT / "benchmarks" / "measuring" / "writer_calls.py"
TENSORBOARDX = "tensorboardX 2.6"
SCALAR_TARGET_US, HISTOGRAM_TARGET_US = 5.0, 200.0


def measure_writer(python: Path, writer: str, repeats: int) -> dict[str, float]:
    """Microseconds by name of the figure."""
    say(f"{writer} …")
    command = [str(python), str(SCRIPT), writer, str(repeats)]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=plain_variables()).stdout
    return {figure: seconds * 1e6 for figure, seconds in json.loads(output).items()}


def measure_calls(options: Options) -> list[Figure]:
    """Times our calls and tensorboardX's, one process after the other."""
    repeats = options.times(9, 4)
    ours = measure_writer(Path(sys.executable), "summaries", repeats)
    peer_python = tensorboardx_python()
    theirs = measure_writer(peer_python, "tensorboardX", repeats) if peer_python else {}

    def figure(name: str, what: str, target: float | None = None) -> Figure:
        peer = (theirs[name], TENSORBOARDX) if theirs else (None, "")
        return Figure(name, what, "µs", ours[name], target, *peer)

    bare = (ours["copy_1m"], "bare copy by numpy")
    read = (ours["read_1m"], "reading it alone")
    half = (ours["half_copy_1m"], "copying half of it")
    bare_row = (ours["copies_in_a_row"], "bare copies by numpy")
    return [
        figure("scalar_call", "one add_scalar, one after the other", SCALAR_TARGET_US),
        figure("scalar_in_file", "one scalar until it is in the file"),
        figure("histogram_1m", "add_histogram of 1 Mi float32 (4 MiB)", HISTOGRAM_TARGET_US),
        Figure(
            "parameter_1m", "add_histogram of a Parameter of 1 Mi float32", "µs", ours["parameter_1m"],
            HISTOGRAM_TARGET_US, theirs["histogram_1m"] if theirs else None,
            f"{TENSORBOARDX}, of an array" if theirs else "",
        ),
        Figure("histogram_1m_bare", "the same, against the copy alone", "µs", ours["histogram_1m"], None, *bare),
        Figure("histogram_1m_read", "the same, against reading alone", "µs", ours["histogram_1m"], None, *read),
        Figure(
            "histogram_1m_half", "the same, against two threads that copy half of it each and never wait", "µs",
            ours["histogram_1m"], None, *half,
        ),
        figure("histograms_in_a_row", "each of a dozen add_histogram in a row, mean"),
        Figure(
            "histograms_in_a_row_bare", "the same, against copies alone", "µs", ours["histograms_in_a_row"], None,
            *bare_row,
        ),
        figure("image_256", "add_image of 3x256x256 float32"),
    ]  # fmt: skip


MEASUREMENTS: dict[Measurement, Sequence[str]] = {
    measure_calls: (
        "scalar_call",
        "scalar_in_file",
        "histogram_1m",
        "parameter_1m",
        "histogram_1m_bare",
        "histogram_1m_read",
        "histogram_1m_half",
        "histograms_in_a_row",
        "histograms_in_a_row_bare",
        "image_256",
    ),
}

if __name__ == "__main__":
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
