"""Tests the tests of Python code: `python tools/test_mutations.py [--mutants N|all] [--survivors] [ROOM...]`.

Mutmut changes a room's code in many small ways, one at a time. A change (a mutant) is killed if one of the room's tests
then fails or hangs. What no test reaches counts as survived. A room has thousands of mutants, so a sample is run, the
same one every time; the interval says how far from it the score of all mutants may be.

Not counted are changes to what is said when something goes wrong, and to types that only mypy reads (`NOT_CHANGED`).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mutmut.configuration import reset_config
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.stats import status_by_exit_code
from mutmut.utils.file_utils import copy_src_dir

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutations"
REQUIRED_PERCENT = 85.0
SAMPLE = 300
SEED = 1
PACKAGES = ("framework", "mindinsight", "summaries")
BESIDE = ("tests", "manage.py", "tools")
#: Lines whose expressions are left as they are: errors and warnings with their texts, and casts.
NOT_CHANGED = (r"\braise \w", r"\blogger\.\w+\(", r"\bwarnings\.warn\(", r"\bcast\(")
KILLED = ("killed", "segfault")


class Room(NamedTuple):
    """A folder of code, and the tests that shall notice its mutants.

    Args:
        folder: The code, below the checkout.
        tests: Files and folders of tests, and other arguments of pytest.
    """

    folder: str
    tests: tuple[str, ...]


class Result(NamedTuple):
    """What became of a mutant.

    Args:
        path: The file that it is in, below the checkout.
        status: What happened to it, in mutmut's words.
    """

    path: Path
    status: str


class Score(NamedTuple):
    """How the mutants of a room fared."""

    room: str
    population: int
    statuses: Mapping[str, int]

    @property
    def mutants(self) -> int:
        """The number of mutants that were run."""
        return sum(self.statuses.values())

    @property
    def killed(self) -> int:
        """The number that some test noticed, if only by never ending."""
        return sum(self.statuses[status] for status in (*KILLED, "timeout"))

    @property
    def percent(self) -> float:
        """The killed ones in percent."""
        return 100 * self.killed / self.mutants

    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the percentage of all mutants, corrected for the part that was run."""
        z, share = 1.96, self.killed / self.mutants
        n = self.mutants * (self.population - 1) / max(self.population - self.mutants, 1e-9)
        middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
        return 100 * (middle - half), 100 * (middle + half)


ROOMS = {
    "store": Room(
        "mindinsight/store",
        ("tests/mindinsight/store", "tests/mindinsight/ingest/storing", "tests/mindinsight/scalars/curves"),
    ),
    "substructures": Room(
        "mindinsight/graphs/substructures",
        tuple(f"tests/mindinsight/graphs/test_{name}.py" for name in ("substructures", "hostile_graphs", "kernel")),
    ),
    "opt": Room(
        "framework/opt",
        ("tests/framework/opt", "--deselect=tests/framework/opt/test_recompute.py::test_the_process_takes_less_memory"),
    ),
    "ad": Room("framework/ad", ("tests/framework/ad",)),
    "pynative": Room("framework/pynative", ("tests/framework/pynative",)),
    "infer": Room(
        "framework/infer",
        ("tests/framework/infer", "tests/framework/language", "-k", "not loop10000 and not for10000"),
    ),
    "ingest": Room("mindinsight/ingest", ("tests/mindinsight/ingest", "-m", "not processes")),
}


def settings(room: Room) -> str:
    """Mutmut's part of pyproject.toml."""
    values: dict[str, object] = {
        "source_paths": PACKAGES,
        "only_mutate": [f"{room.folder}/*"],
        "also_copy": BESIDE,
        "do_not_mutate_patterns": NOT_CHANGED,
        # What mutmut's own threads leave behind is no warning of a test's.
        "pytest_add_cli_args": [
            *(f"-pno:{plugin}" for plugin in ("cacheprovider", "threadexception", "unraisableexception")),
            "-x",
            "-q",
        ],
        "pytest_add_cli_args_test_selection": room.tests,
        # A worker starts from a process that has run no test, so no threads of a kernel are missing in it.
        "process_isolation": "forkserver",
        "timeout_multiplier": 5.0,
        "timeout_constant": 3.0,
    }
    # A list of strings is the same in JSON as in TOML.
    return "\n[tool.mutmut]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())


def prepare(folder: Path, room: Room) -> None:
    """Fill an empty folder, from which mutmut takes code, tests and settings."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in (*PACKAGES, *BESIDE):
        (folder / name).symlink_to(ROOT / name)
    (folder / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text() + settings(room))


def make_mutants(jobs: int) -> None:
    """Write the mutated code below the present folder; files that did not change since are kept."""
    from mutmut.__main__ import create_mutants  # It reads the settings of the present folder.

    reset_config()
    with Path("making.log").open("w") as log, contextlib.redirect_stdout(log):
        copy_src_dir()
        create_mutants(jobs)


def results(room: Room) -> dict[str, Result]:
    """All mutants of a room, by their names."""
    found = {}
    for meta in sorted(Path("mutants", room.folder).rglob("*.meta")):
        path = meta.relative_to("mutants").with_suffix("")
        for name, code in json.loads(meta.read_text())["exit_code_by_key"].items():
            found[name] = Result(path, status_by_exit_code[code])
    return found


def run_mutmut(names: Iterable[str], jobs: int) -> None:
    """Run these mutants in the present folder; what mutmut says is in mutmut.log.

    Raises:
        SystemExit: The tests fail without a mutant, for example.
    """
    data = os.environ.get("MINDINSIGHT_TEST_DATA") or ROOT.parent / "shared" / "data"
    environment = {
        **os.environ,
        "MINDINSIGHT_TEST_DATA": str(Path(ROOT, data).resolve()),
        # For processes that tests start.
        "PYTHONPATH": str(Path("mutants").absolute()),
    }
    command = [str(Path(sys.executable).with_name("mutmut")), "run", "--max-children", str(jobs), *names]
    with Path("mutmut.log").open("w") as log:
        done = subprocess.run(command, env=environment, stdout=log, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        print(Path("mutmut.log").read_text()[-5000:])
        sys.exit(f"mutmut failed in {Path.cwd()}.")


def write_survivors(target: Path, mutants: Mapping[str, Result]) -> None:
    """Write the mutants that no test killed, as differences from the code."""
    with target.open("w") as report:
        for name, result in mutants.items():
            if result.status not in KILLED:
                report.write(f"# {name}: {result.status}\n{get_diff_for_mutant(name, path=result.path)}\n\n")


def score(name: str, wanted: int | None, jobs: int, *, only_survivors: bool) -> Score:
    """Run the mutants of a room.

    Args:
        name: The room.
        wanted: How many mutants to run; None for all.
        jobs: How many of them at the same time.
        only_survivors: Run only those again that survived the last run; the others keep their result.
    """
    room, folder = ROOMS[name], WORK / name
    if not only_survivors:
        prepare(folder, room)
    with contextlib.chdir(folder):
        make_mutants(jobs)
        before = results(room)
        # A larger sample has all of a smaller one.
        chosen = random.Random(SEED).sample(sorted(before), len(before))[:wanted]  # noqa: S311
        run_mutmut((mutant for mutant in chosen if before[mutant].status not in KILLED), jobs)
        after = results(room)
        mutants = {mutant: after[mutant] for mutant in sorted(chosen)}
        write_survivors(WORK / f"{name}-survivors.txt", mutants)
    return Score(name, len(after), Counter(result.status for result in mutants.values()))


HEADINGS = ("room", "mutants", "run", "killed", "timeouts", "survived", "not reached", "score", "95 % interval")


def row(scored: Score) -> Sequence[object]:
    """A room's row of the table."""
    counts, (low, high) = scored.statuses, scored.interval()
    unseen = counts["no tests"]
    return (
        *(scored.room, scored.population, scored.mutants, scored.killed - counts["timeout"], counts["timeout"]),
        *(scored.mutants - scored.killed - unseen, unseen, f"{scored.percent:.1f} %", f"{low:.0f} to {high:.0f} %"),
    )


def main() -> int:
    """Run the mutants of the named rooms; 1 if the tests of one are too weak."""
    parser = argparse.ArgumentParser(description="Count the changes to the code that tests notice.")
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"of {', '.join(ROOMS)}; all by default")
    parser.add_argument("--mutants", default=str(SAMPLE), help=f"how many of each room, or all ({SAMPLE})")
    parser.add_argument("--survivors", action="store_true", help="run only those again that survived the last run")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at the same time")
    given = parser.parse_args()
    if unknown := set(given.rooms) - set(ROOMS):
        parser.error(f"there is no room {', '.join(sorted(unknown))}; there are {', '.join(ROOMS)}")
    wanted = None if given.mutants == "all" else int(given.mutants)
    weak = []
    print(f"| {' | '.join(HEADINGS)} |\n|{'---|' * len(HEADINGS)}", flush=True)
    for name in given.rooms or ROOMS:
        scored = score(name, wanted, given.jobs, only_survivors=given.survivors)
        print(f"| {' | '.join(map(str, row(scored)))} |", flush=True)
        if scored.percent < REQUIRED_PERCENT:
            weak.append(name)
    print(f"\nThe survivors are in {WORK.relative_to(ROOT)}/ROOM-survivors.txt.")
    if weak:
        print(f"Less than {REQUIRED_PERCENT:g} % were killed in {', '.join(weak)}.")
    return 1 if weak else 0


if __name__ == "__main__":
    sys.exit(main())
