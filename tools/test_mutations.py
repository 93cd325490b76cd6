"""Tests the tests of Python code: `python tools/test_mutations.py [--mutants N|all] [--survivors] [ROOM...]`.

Mutmut writes a room's code with many small changes, of which one at a time is switched on. Such a change (a mutant) is
killed if one of the room's tests then fails or hangs. What no test reaches counts as survived. A room has thousands of
mutants, so a sample is run, the same one every time; the interval says how far from it the score of all may be.
`mutant_runs.py` runs them; it starts faster than mutmut does, which collects the tests anew for every mutant.
It reads the tests where they are: whoever changes one meanwhile makes it fail, and it is left out.

Not counted are changes to what is said when something goes wrong, to types that only mypy reads, to assertions and to
`strict` of `zip` (`NOT_CHANGED`, `counts`).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mutant_runs import RESULTS, WANTED
from mutmut.configuration import reset_config
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.utils.file_utils import copy_src_dir
from prepare import compiled_parts

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutations"
REQUIRED_PERCENT = 85.0
SAMPLE = 300
SEED = 1
PACKAGES = ("framework", "debugging", "mindinsight", "summaries")
BESIDE = ("tests", "benchmarks", "manage.py", "tools")
#: Where mutmut cannot switch between a function and its mutants: the core compiles it from its source, or it looks for
#: the user's frames on the stack, between which mutmut's own would stand.
NOT_MUTATED = ("framework/ad/jacobians.py", "framework/pynative/places.py", "framework/pynative/taps.py")
COMPILED_LINE = r"return gradient if index == place"
#: Lines whose expressions are left as they are: errors and warnings with their texts, casts and assertions.
NOT_CHANGED = (r"\braise \w", r"\blogger\.\w+\(", r"\bwarnings\.warn\(", r"\bcast\(", r"^\s*assert ", COMPILED_LINE)
_STRICT = re.compile(r"(?:, )?\bstrict=\w+|, (?=\))")
PYTEST_OPTIONS = (
    *("-p", "no:cacheprovider", "-p", "no:threadexception", "-p", "no:unraisableexception"),
    # Nobody reads why a test failed, and long explanations take longer than the test.
    *("--assert=plain", "--tb=native"),
)
KILLED = ("killed", "timeout")


class Room(NamedTuple):
    """A folder of code, and the tests that should detect its mutants.

    Args:
        folder: The code, below the checkout.
        tests: Files and folders of tests, and other arguments of pytest.
    """

    folder: str
    tests: tuple[str, ...]


class Score(NamedTuple):
    """The results of a room's mutants."""

    room: str
    population: int
    statuses: Mapping[str, int]

    @property
    def mutants(self) -> int:
        """The number of mutants that were run."""
        return sum(self.statuses.values())

    @property
    def killed(self) -> int:
        """The number of mutants that some test detected, timeouts included."""
        return sum(self.statuses[status] for status in KILLED)

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


#: Loops of ten thousand steps take too long for each mutant.
_SHORT_LOOPS = "not loop10000 and not for10000"
ROOMS = {
    "store": Room("mindinsight/store", ("tests/mindinsight/store", "tests/mindinsight/ingest/storing/test_keeping.py")),
    "substructures": Room(
        "mindinsight/graphs/substructures",
        ("tests/mindinsight/graphs/substructures",),
    ),
    "opt": Room(
        "framework/opt",
        ("tests/framework/opt", "-k", "not memory and not random_programs and not over_the_budget and not same_bits"),
    ),
    "ad": Room("framework/ad", ("tests/framework/ad", "-k", "not deeper_than and not long_loop and not in_any_order")),
    "pynative": Room("framework/pynative", ("tests/framework/pynative",)),
    "infer": Room(
        "framework/infer",
        ("tests/framework/infer", "tests/framework/language", "tests/framework/test_names.py", "-k", _SHORT_LOOPS),
    ),
    "ingest": Room(
        "mindinsight/ingest",
        (
            "tests/mindinsight/ingest",
            *(f"--ignore-glob=*/test_{name}.py" for name in ("attacked_trash", "many_directories", "kills*")),
        ),
    ),
}


def prepare(folder: Path, room: Room) -> None:
    """Fill an empty folder in which mutmut makes the mutants of a room."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "mutants").mkdir(parents=True)
    for name in PACKAGES:
        (folder / name).symlink_to(ROOT / name)
    for name in BESIDE:
        (folder / "mutants" / name).symlink_to(ROOT / name)
    values = {
        "source_paths": PACKAGES,
        "only_mutate": [f"{room.folder}/*"],
        "do_not_mutate": NOT_MUTATED,
        "do_not_mutate_patterns": NOT_CHANGED,
    }
    # A list of strings is the same in JSON as in TOML.
    settings = "\n[tool.mutmut]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())
    for place in (folder, folder / "mutants"):
        (place / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text() + settings)


def make_mutants(jobs: int) -> None:
    """Write the mutated code below the current folder; unchanged files are kept."""
    from mutmut.__main__ import create_mutants  # It reads the settings of the present folder.

    reset_config()
    with Path("making.log").open("w") as log, contextlib.redirect_stdout(log):
        copy_src_dir()
        create_mutants(jobs)


def mutants_here() -> dict[str, Path]:
    """All mutants below the current folder, each with its file."""
    return {
        name: meta.relative_to("mutants").with_suffix("")
        for meta in sorted(Path("mutants").rglob("*.meta"))
        for name in json.loads(meta.read_text())["exit_code_by_key"]
    }


def counts(name: str, path: Path) -> bool:
    """Whether a mutant changes more than `strict=True` of `zip`, which only guards against programming errors."""
    sides: dict[str, list[str]] = {"-": [], "+": []}
    for line in get_diff_for_mutant(name, path=path).splitlines()[2:]:
        if line[:1] in sides:
            sides[line[:1]].append(_STRICT.sub("", line[1:]))
    return sides["-"] != sides["+"]


def run(names: Sequence[str], room: Room) -> dict[str, str]:
    """Run the mutants of the current folder.

    Returns:
        What became of each.

    Raises:
        SystemExit: The tests fail without a mutant, for example.
    """
    data = os.environ.get("MINDINSIGHT_TEST_DATA") or ROOT.parent / "shared" / "data"
    environment = {
        **os.environ,
        "MINDINSIGHT_TEST_DATA": str(Path(ROOT, data).resolve()),
        # For processes that tests start, too.
        "PYTHONPATH": str(Path("mutants").absolute()),
        # Every mutant meets the same cases.
        "MINDINSIGHT_TEST_COUNTS": "few",
        # Threads of a kernel would be missing in a fork.
        "OMP_NUM_THREADS": "1",
    }
    Path("mutants", WANTED).write_text(json.dumps(names))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tools.mutant_runs", *PYTEST_OPTIONS, *room.tests]
    # One place for the files of all forks, which none of them tidies up, and no other run of pytest does meanwhile.
    with (
        tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as files,
        Path("pytest.log").open("w") as log,
    ):
        command.append(f"--basetemp={files}/now")
        done = subprocess.run(command, cwd="mutants", env=environment, stdout=log, stderr=log, check=False)
    told = Path("pytest.log").read_text()
    if done.returncode not in (0, 5):
        print(told[-5000:])
        sys.exit(f"pytest failed in {Path.cwd()}.")
    for line in told.splitlines():
        if line.startswith("Left out"):
            print(line)
    return dict(json.loads(line) for line in Path("mutants", RESULTS).read_text().splitlines())


def write_survivors(target: Path, statuses: Mapping[str, str], paths: Mapping[str, Path]) -> None:
    """Write the mutants that no test killed, as differences from the code."""
    with target.open("w") as report:
        for name, status in sorted(statuses.items()):
            if status not in KILLED:
                report.write(f"# {name}: {status}\n{get_diff_for_mutant(name, path=paths[name])}\n\n")


def score(name: str, wanted: int | None, *, only_survivors: bool) -> Score:
    """Run the mutants of a room.

    Args:
        name: The room.
        wanted: How many mutants to run; None for all.
        only_survivors: Run only those again that survived the last run; the others keep their result.
    """
    room, folder = ROOMS[name], WORK / name
    if not only_survivors:
        prepare(folder, room)
    with contextlib.chdir(folder):
        make_mutants(len(os.sched_getaffinity(0)))
        paths, memory = mutants_here(), Path("statuses.json")
        # A larger sample has all of a smaller one.
        chosen = random.Random(SEED).sample(sorted(paths), len(paths))[:wanted]  # noqa: S311
        chosen = [mutant for mutant in chosen if counts(mutant, paths[mutant])]
        before = json.loads(memory.read_text()) if only_survivors else {}
        statuses = {mutant: before[mutant] for mutant in chosen if before.get(mutant) in KILLED}
        statuses |= run([mutant for mutant in chosen if mutant not in statuses], room)
        memory.write_text(json.dumps(statuses))
        write_survivors(WORK / f"{name}-survivors.txt", statuses, paths)
    return Score(name, len(paths), Counter(statuses.values()))


HEADINGS = ("room", "mutants", "run", "killed", "timeouts", "survived", "not reached", "score", "95 % interval")


def row(scored: Score) -> Sequence[object]:
    """A room's row of the table."""
    counts, (low, high) = scored.statuses, scored.interval()
    unseen = counts["not reached"]
    return (
        *(scored.room, scored.population, scored.mutants, scored.killed - counts["timeout"], counts["timeout"]),
        *(scored.mutants - scored.killed - unseen, unseen, f"{scored.percent:.1f} %", f"{low:.0f} to {high:.0f} %"),
    )


def main() -> int:
    """Run the mutants of the named rooms; returns 1 if the tests of one are too weak."""
    parser = argparse.ArgumentParser(description="Count the changes to the code that tests notice.")
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"of {', '.join(ROOMS)}; all by default")
    parser.add_argument("--mutants", default=str(SAMPLE), help=f"how many of each room, or all ({SAMPLE})")
    parser.add_argument("--survivors", action="store_true", help="run only those again that survived the last run")
    given = parser.parse_args()
    if unknown := set(given.rooms) - set(ROOMS):
        parser.error(f"there is no room {', '.join(sorted(unknown))}; there are {', '.join(ROOMS)}")
    if not compiled_parts()[-1].is_done():
        # Tests of what is read and stored with them would be skipped, and its mutants would count as survivors.
        parser.error("the parts in C are not compiled: make test-mutations does so, if there is a C compiler")
    wanted = None if given.mutants == "all" else int(given.mutants)
    weak = []
    print(f"| {' | '.join(HEADINGS)} |\n|{'---|' * len(HEADINGS)}", flush=True)
    for name in given.rooms or ROOMS:
        scored = score(name, wanted, only_survivors=given.survivors)
        print(f"| {' | '.join(map(str, row(scored)))} |", flush=True)
        if scored.percent < REQUIRED_PERCENT:
            weak.append(name)
    print(f"\nThe survivors are in {WORK.relative_to(ROOT)}/ROOM-survivors.txt.")
    if weak:
        print(f"Less than {REQUIRED_PERCENT:g} % were killed in {', '.join(weak)}.")
    return 1 if weak else 0


if __name__ == "__main__":
    sys.exit(main())
