"""Why a program does not run: one cause for each failure, told by the error and its text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Cause(StrEnum):
    """What became of a case."""

    PASSED = "passed"
    MISSING = "missing name or argument"
    GRAPH = "refused in graph mode"
    REFUSED = "other refusal"
    DIFFERENT = "different result"
    NOT_RAISED = "error not raised, or with another text"
    SLOW = "too slow or died"
    OUTSIDE = "out of scope"


#: Shown beside the cause of each kind that counts against the core.
FAILURES = tuple(cause for cause in Cause if cause not in (Cause.PASSED, Cause.OUTSIDE))


@dataclass(frozen=True)
class Outcome:
    """What became of one case.

    Attributes:
        kind: of program: `families`, `names`, `blocks`, `tests`, `networks`, `values`.
        program: the checkout and the place in it.
        case: what was run of it.
        cause: whether it passed, or why not.
        what: the reason in a form that is the same for all cases with this reason.
        mode: `graph`, `pynative`, or both in one.
        at: the line of the program that failed.
        seconds: that it took.
        more: figures of the case.
    """

    kind: str
    program: str
    case: str
    cause: Cause
    what: str = ""
    mode: str = ""
    at: str = ""
    seconds: float = 0.0
    more: Mapping[str, Any] = field(default_factory=dict)


_OF_OTHERS = re.compile(
    r"No module named '(?!mindspore\b|framework\b)|_c_expression|_extends|_inner_ops|_grad_ops|\b_ccsrc|mindspore_lite|"
    r"was removed in the NumPy 2|removed in NumPy 2|`np\.\w+` was|module 'numpy' has no attribute|numpy\.core|"
    r"No such file or directory|does not exist|urlopen error|HTTPSConnection|Max retries|Network is unreachable|"
    r"name resolution|Unable to download|libascend|CANN|only an Ascend NPU|No module named 'mindspore\.(?:_|.*\._)",
)
_NAMES = re.compile(
    r"cannot import name|No module named|has no attribute|object has no .*attribute|"
    r"unexpected keyword argument|takes .* positional arguments? but|is not there: ",
)
_NOT_RAISED = re.compile(
    r"DID NOT RAISE|DID NOT WARN|Regex pattern did not match|not found in log|in str\(.*(?:err|ex)"
)
_UNLIKE = {"AssertionError", "Failed"}


def cause_of(error: Mapping[str, Any]) -> Cause:
    """The cause of a failure, by what a worker tells of its error.

    Args:
        error: `types` (names of the error's class and its bases), `text`, and `at`, the failing line.
    """
    types, text, at = set(error.get("types", ())), str(error.get("text", "")), str(error.get("at", ""))
    if types & {"TimeoutError", "MemoryError"}:
        return Cause.SLOW
    if _OF_OTHERS.search(text) or types & {"FileNotFoundError", "URLError", "ConnectionError", "SystemExit"}:
        return Cause.OUTSIDE
    if _NOT_RAISED.search(text) or (types & _UNLIKE and _NOT_RAISED.search(at)):
        return Cause.NOT_RAISED
    if _NAMES.search(text):
        return Cause.MISSING
    if "GraphError" in types:
        return Cause.GRAPH
    return Cause.DIFFERENT if types & _UNLIKE else Cause.REFUSED


def reason_of(error: Mapping[str, Any]) -> str:
    """An error in one line, without what differs from case to case."""
    lines = [line for line in str(error.get("text", "")).strip().splitlines() if line.strip()] or [""]
    text = re.sub(r"0x[0-9a-f]+", "0x…", lines[0].strip())
    text = re.sub(r"(/[\w.\-]+){3,}", lambda path: path[0].rpartition("/")[2], text)
    kinds = error.get("types") or [""]
    return f"{kinds[0]}: {text}"[:180]
