"""Programs that others wrote for MindSpore: how many run here unchanged, and why the others do not.

`benchmarks/programs.py DIR...` takes checkouts and tells by their contents what to run: the smallest model of each
family in a registry (three steps of training in both modes), directories of published models (whether the names that
they use are there), pages of tutorials (their blocks in order), and MindSpore's own tests. Each runs in a process of
its own, within limits of time and memory; `import mindspore` finds `framework` there. With `--reference PYTHON`, the
Python of an environment with MindSpore, outputs and gradients are compared at the same weights, and blocks that do not
run there are left out.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from fnmatch import fnmatch
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.foreign.causes import Cause, Outcome
from benchmarks.foreign.checkouts import Checkout
from benchmarks.foreign.directories import resolved
from benchmarks.foreign.families import compared, families_of, request, smallest, trained
from benchmarks.foreign.isolation import Limits
from benchmarks.foreign.networks import networks_of
from benchmarks.foreign.pages import page_outcomes
from benchmarks.foreign.suites import suite_outcomes
from benchmarks.foreign.tables import KINDS, counts, ranked, speed
from benchmarks.measuring.figures import say
from benchmarks.measuring.machine import describe_machine


@dataclass(frozen=True)
class Case:
    """Something to run.

    Attributes:
        kind: of program.
        name: as `--only` matches it.
        run: gives what became of it.
    """

    kind: str
    name: str
    run: Callable[[], list[Outcome]]


@dataclass(frozen=True)
class Settings:
    """What the command line says about how to run."""

    limits: Limits
    reference: Path | None


def cases_of(checkout: Checkout, settings: Settings) -> Iterator[Case]:
    """All that a checkout has to run."""
    root, name, limits = checkout.root, checkout.name, settings.limits
    for module, models in families_of(checkout.registered()).items():
        asked = request(root, module, smallest(models))
        yield Case("families", module.stem, lambda asked=asked: [trained("families", name, asked, limits)])  # type: ignore[misc]
        if settings.reference:
            yield Case(
                "values",
                module.stem,
                lambda asked=asked: [compared(name, asked, limits, settings.reference)],  # type: ignore[misc]
            )
    for case, asked in networks_of(root):
        yield Case("networks", case, lambda asked=asked: [trained("networks", name, asked, limits)])  # type: ignore[misc]
    directories = checkout.model_directories()
    if directories:
        yield Case("names", name, lambda: resolved(name, root, directories, limits, settings.reference))
    for page in checkout.pages():
        place = str(page.relative_to(root))
        run = lambda page=page: page_outcomes(name, root, page, limits, settings.reference)  # noqa: E731
        yield Case("blocks", place, run)
    for file in checkout.tests():
        place = str(file.relative_to(root))
        kind = "system tests" if "st" in file.parts else "unit tests"
        yield Case(kind, place, lambda file=file: suite_outcomes(name, file, limits))  # type: ignore[misc]


def chosen(cases: Sequence[Case], only: Sequence[str], sample: int, seed: int) -> list[Case]:
    """The cases that the command line asks for: of one kind, by a pattern of names, or some of each kind by lot."""
    kinds = [one for one in only if one in KINDS]
    patterns = [one for one in only if one not in KINDS]
    found = [case for case in cases if not kinds or case.kind in kinds]
    found = [case for case in found if not patterns or any(fnmatch(case.name, one) for one in patterns)]
    if not sample:
        return found
    kept: list[Case] = []
    for kind in KINDS:
        of_kind = [case for case in found if case.kind == kind]
        kept += random.Random(seed).sample(  # noqa: S311 - a lot, no secret
            of_kind, min(sample, len(of_kind))
        )
    return kept


def attempted(case: Case) -> list[Outcome]:
    """What became of a case, told as it ends; a fault of the benchmark itself counts as a failure of the case."""
    try:
        outcomes = case.run()
    except Exception as error:
        outcomes = [Outcome(case.kind, "", case.name, Cause.REFUSED, f"the benchmark failed: {error}")]
    passed = sum(one.cause is Cause.PASSED for one in outcomes)
    why = outcomes[0].what if len(outcomes) == 1 else ""
    say(f"{case.kind} {case.name}: {passed} of {len(outcomes)} {why}".rstrip())
    return outcomes


def parser() -> argparse.ArgumentParser:
    """The command line."""
    command = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    command.add_argument("checkouts", nargs="+", type=Path, metavar="DIR")
    command.add_argument("--only", action="append", default=[], metavar="KIND|NAME", help="a kind, or names by pattern")
    command.add_argument("--sample", type=int, default=0, metavar="N", help="N of each kind, drawn by lot")
    command.add_argument("--seed", type=int, default=0, help="of the lot")
    command.add_argument("--jobs", type=int, default=1, help="processes at the same time")
    command.add_argument("--seconds", type=float, default=300.0, help="that a process may take")
    command.add_argument("--gigabytes", type=float, default=12.0, help="of address space that a process may use")
    command.add_argument("--path", default="", help="folders with further packages that programs import")
    command.add_argument("--reference", type=Path, metavar="PYTHON", help="of an environment with MindSpore")
    command.add_argument("--json", type=Path, metavar="FILE", help="writes every case")
    command.add_argument("--ranked", type=int, default=40, metavar="N", help="reasons to show")
    return command


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the programs, and prints counts by cause."""
    given = parser().parse_args(arguments)
    settings = Settings(Limits(given.seconds, given.gigabytes, path=given.path), given.reference)
    cases = [case for folder in given.checkouts for case in cases_of(Checkout(folder.resolve()), settings)]
    cases = chosen(cases, given.only, given.sample, given.seed)
    outcomes: list[Outcome] = []
    with ThreadPoolExecutor(given.jobs) as pool:
        for found in pool.map(attempted, cases):
            outcomes += found
            if given.json:
                given.json.write_text(json.dumps([asdict(one) for one in outcomes], indent=1))
    parts = [describe_machine(), counts(outcomes), speed(outcomes), ranked(outcomes, given.ranked)]
    print("\n\n".join(part for part in parts if part))
    return 0


if __name__ == "__main__":
    sys.exit(main())
