"""Training steps of recurrent layers and of a layer of BERT, in both modes, compared with PyTorch's eager mode.

A step is forward, backward and an update by momentum, on one thread. Both libraries start from the same weights and
see the same batch; the losses of the first steps must agree to 1e-4. Each library and mode runs in a process of its
own; they take turns, a block of steps each. A figure is the least processor time per step among the blocks.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measuring.environments import ROOT, plain_variables, torch_python
from benchmarks.measuring.figures import Figure, Measurement, Options, run, say
from benchmarks.measuring.layers_cases import CASES

TORCH = "PyTorch 2.13"
#: How far the losses of the two libraries may be apart.
WITHIN = 1e-4
MODES = ("pynative", "graph")
QUICK = ("lstm_64", "gru_64", "bert_256")


class Contender:
    """A library's process with one case, which runs a block of steps when asked.

    Args:
        python: the Python of the library's environment.
        script: the script in `measuring`, without its ending.
        mode: "pynative", "graph" or "eager".
        case: a name of `CASES`.
        seconds: how long a block of steps lasts.
    """

    def __init__(self, python: Path, script: str, mode: str, case: str, seconds: float) -> None:
        one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        path = ROOT / "benchmarks" / "measuring" / f"{script}.py"
        self._process = subprocess.Popen(
            [str(python), str(path), mode, case, str(seconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=plain_variables(**one),
        )
        #: The losses of the first steps.
        self.losses = [float(loss) for loss in self._line().split()]

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._process.args!r} ended")
        return line

    def block(self) -> float:
        """Microseconds of processor time per step, of one block of steps."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return float(self._line())

    def end(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def measuring(case: str) -> Measurement:
    """What measures one case."""

    def measure(options: Options) -> list[Figure]:
        return measure_case(case, options)

    return measure


def measure_case(case: str, options: Options) -> list[Figure]:
    """Microseconds per training step, ours in both modes and PyTorch's.

    Raises:
        RuntimeError: the losses do not agree, or a process ended.
    """
    theirs = torch_python()
    if options.quick and case not in QUICK and options.only is None:
        return []
    say(f"{case} …")
    seconds = 0.2 if options.quick else 0.5
    contenders = [Contender(Path(sys.executable), "layers_ours", mode, case, seconds) for mode in MODES]
    if theirs is not None:
        contenders.append(Contender(theirs, "layers_torch", "eager", case, seconds))
    try:
        found = [contender.losses for contender in contenders]
        apart = max(max(losses) - min(losses) for losses in zip(*found, strict=True))
        if apart > WITHIN and not CASES[case].dropout:
            raise RuntimeError(f"{case}: the losses {found} are further apart than {WITHIN}")
        rounds = [[contender.block() for contender in contenders] for _ in range(options.times(8, 4))]
    finally:
        for contender in contenders:
            contender.end()
    lines, graph, *peer = (min(times) for times in zip(*rounds, strict=True))
    there = (peer[0], peer[0], TORCH) if peer else (None, None, "")
    what = f"{CASES[case].what}, a train step"
    return [
        Figure(f"{case}_{mode}", f"{what}, {mode}", "µs", own, *there)
        for mode, own in zip(MODES, (lines, graph), strict=True)
    ]


MEASUREMENTS: dict[Measurement, list[str]] = {measuring(case): [f"{case}_{mode}" for mode in MODES] for case in CASES}

if __name__ == "__main__":
    sys.exit(run(__doc__.splitlines()[0], MEASUREMENTS))
