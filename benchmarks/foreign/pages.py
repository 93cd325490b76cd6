"""Pages with blocks of code: the blocks of a page are run in order in one namespace."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path

from benchmarks.foreign.causes import Cause, Outcome, cause_of, reason_of
from benchmarks.foreign.isolation import Limits, Told, run_worker

SECONDS_OF_A_BLOCK = 60
_FENCED = re.compile(r"^([ \t]*)```python\s*\n(.*?)^[ \t]*```", re.MULTILINE | re.DOTALL)


def blocks_of(page: Path) -> list[str]:
    """The blocks of Python of a page, without lines for a shell."""
    text = page.read_text(errors="replace")
    if page.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        found = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    else:
        found = [textwrap.dedent(indent + block) for indent, block in _FENCED.findall(text)]
    return [re.sub(r"^(\s*)[!%].*$", r"\1pass", block, flags=re.MULTILINE) for block in found]


def page_outcomes(program: str, root: Path, page: Path, limits: Limits, reference: Path | None) -> list[Outcome]:
    """What became of each block of a page; those that the reference cannot run here are out of scope."""
    blocks = blocks_of(page)
    asked = {"blocks": blocks, "seconds": SECONDS_OF_A_BLOCK, "mode": ""}
    theirs = _by_block(run_worker("run_page", asked, limits, reference)) if reference else {}
    told = run_worker("run_page", asked, limits)
    ours = _by_block(told)
    outcomes: list[Outcome] = []
    for number in range(len(blocks)):
        name = f"{page.relative_to(root)} block {number}"
        error = ours[number]["error"] if number in ours else told.error
        outcome = Outcome("blocks", program, name, Cause.PASSED)
        if error is not None:
            cause, what = cause_of(error), reason_of(error)
            earlier = [one for one in outcomes if one.cause is not Cause.PASSED]
            if earlier and "NameError" in error.get("types", ()):
                # What an earlier block would have defined; the cause is that of the earlier one.
                cause, what = earlier[-1].cause, earlier[-1].what
            outcome = Outcome("blocks", program, name, cause, what, at=str(error.get("at", "")))
        if reference and (number not in theirs or theirs[number]["error"]):
            failed = reason_of(theirs[number]["error"]) if number in theirs else "did not come to it"
            outcome = Outcome("blocks", program, name, Cause.OUTSIDE, f"reference: {failed}")
        outcomes.append(outcome)
    return outcomes


def _by_block(told: Told) -> dict[int, dict[str, object]]:
    return {line["block"]: line for line in told.lines}
