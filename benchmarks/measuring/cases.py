"""One case of a benchmark in a process of its own, with a time limit: what hangs costs its own figures alone.

Called by benchmarks whose cases take minutes, or open the pages of peers that may never answer.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil


class UnfinishedError(Exception):
    """A case has no result; the text says why, in a form for a table."""


def run_case(script: Path, asked: Mapping[str, Any], seconds: float) -> Any:
    """Runs a script that takes a case as JSON and prints what it found as JSON on its last line.

    Args:
        script: the program.
        asked: the arguments of the case.
        seconds: after which it is ended, with all that it has started.

    Raises:
        UnfinishedError: it took longer, or ended otherwise.
    """
    command = [sys.executable, str(script), json.dumps(asked)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise UnfinishedError(f"did not finish in {seconds:g} s") from None
        finally:
            _end_family(process.pid)
    if process.returncode or not output.strip():
        raise UnfinishedError(f"ended with status {process.returncode}")
    return json.loads(output.splitlines()[-1])


def _end_family(pid: int) -> None:
    """Ends a process and its descendants; first those that would restart others."""
    try:
        head = psutil.Process(pid)
        family = [head, *head.children(recursive=True)]
    except psutil.NoSuchProcess:
        return
    for one in family:
        with suppress(psutil.NoSuchProcess):
            one.kill()
    psutil.wait_procs(family, timeout=15)
