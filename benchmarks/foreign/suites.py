"""Files of MindSpore's own tests, each run by pytest in a process of its own."""

from __future__ import annotations

from pathlib import Path

from benchmarks.foreign.causes import Cause, Outcome, cause_of, reason_of
from benchmarks.foreign.isolation import Limits, run_worker

SECONDS_OF_A_TEST = 40
CPU_MARKS = ("cpu_linux", "platform_x86_cpu")


def suite_outcomes(program: str, file: Path, limits: Limits) -> list[Outcome]:
    """What became of each test of a file; a file that cannot be imported is one case."""
    root = next(folder.parent for folder in file.parents if folder.name == "tests")
    place = str(file.relative_to(root))
    is_system = "st" in file.relative_to(root).parts
    asked = {
        "file": str(file),
        "root": str(root),
        "path": [str(root), str(root / "tests"), str(root / "tests" / "ut" / "python"), str(file.parent)],
        "marks": CPU_MARKS if is_system else (),
        "seconds": SECONDS_OF_A_TEST,
    }
    kind = "system tests" if is_system else "unit tests"
    told = run_worker("run_suite", asked, limits)
    outcomes = []
    for line in told.lines:
        if line["test"] == "end":
            continue
        name = f"{place}::{line['test'].partition('::')[2]}" if line["test"] else place
        if line["error"] is None:
            outcomes.append(Outcome(kind, program, name, Cause.PASSED, seconds=line["seconds"]))
        else:
            error = line["error"]
            cause, what = cause_of(error), reason_of(error)
            outcomes.append(Outcome(kind, program, name, cause, what, at=error["at"], seconds=line["seconds"]))
    if not told.lines or told.lines[-1]["test"] != "end":
        reason = told.ended or "ended early"
        more = {"printed": told.printed}
        outcomes.append(Outcome(kind, program, f"{place} after {len(outcomes)} tests", Cause.SLOW, reason, more=more))
    return outcomes
