"""The page of one run in Aim beside ours, with points that Aim's SDK writes in half a minute. Measured by `pages.py`.

Aim keeps its own files, so both have curves of the same lengths and not the same files.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measuring.data_sets import DATA, DataSet, scalars
from benchmarks.measuring.environments import aim_program, plain_variables
from benchmarks.measuring.figures import Figure, Measurement, Options, say
from benchmarks.measuring.page_openings import PEER_LIMIT_S, figure, open_ours, open_page, ours, ours_with
from benchmarks.measuring.page_parts import Found, Outcome, within
from benchmarks.measuring.page_window import windows
from benchmarks.measuring.serving import aim

AIM = "Aim 3.29"
AIM_CURVE = ".LineChart .Line"
TAGS = 5
WRITING_LIMIT_S = 300


def measure_aim(options: Options) -> list[Figure]:
    """Both pages once everything has been read, opened three times each."""
    steps = 1000 if options.quick else 5000
    data = scalars(steps, tags=TAGS)
    data.warm()
    say(f"{AIM}, {TAGS} tags with {steps} points …")
    found, peer = ours(our_page, data), aims_page(steps)
    what = f"the page of a run of {TAGS} tags with {steps:,} points each, all read: first curve"
    return [figure("aim_first_curve", what, "s", found, None, peer, AIM)]


def our_page(data: DataSet) -> Found:
    """Ours on a run of this size."""
    with ours_with(data) as dashboard, windows() as new_window:
        for _ in range(3):
            yield "aim_first_curve", open_ours(new_window(), dashboard.address)


def aims_page(steps: int) -> Outcome:
    """Aim's, where it can be installed."""
    program = aim_program()
    if program is None:
        return Outcome()
    try:
        repo, run = written(program, steps)
    except subprocess.TimeoutExpired:
        return Outcome(missing=f"did not write its points in {WRITING_LIMIT_S} s")
    return within(PEER_LIMIT_S, open_aim, program, repo, run)


def written(program: Path, steps: int) -> tuple[Path, str]:
    """The folder of Aim's run and its name; written at first use.

    Raises:
        subprocess.TimeoutExpired: it took too long.
    """
    repo = DATA / f"aim_{TAGS}x{steps}"
    name = repo / "run.txt"
    if not name.is_file():
        say(f"Making {repo.name} …")
        shutil.rmtree(repo, ignore_errors=True)
        repo.mkdir(parents=True)
        writer = [program.with_name("python"), Path(__file__).with_name("aim_writer.py"), repo, str(TAGS), str(steps)]
        said = subprocess.run(
            writer, check=True, stdout=subprocess.PIPE, text=True, timeout=WRITING_LIMIT_S,
            env=plain_variables(),
        )  # fmt: skip
        name.write_text(said.stdout.split()[-1])
    return repo, name.read_text()


def open_aim(program: Path, repo: Path, run: str) -> Found:
    """Opens the page of the run's metrics until the first curve is drawn."""
    with aim(program, repo) as dashboard, windows() as new_window:
        address = f"{dashboard.address}/runs/{run}/metrics"
        for _ in range(3):
            yield "aim_first_curve", open_page(new_window(), address, AIM_CURVE)


MEASUREMENTS: dict[Measurement, Sequence[str]] = {measure_aim: ("aim_first_curve",)}
