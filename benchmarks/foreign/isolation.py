"""Runs a worker in a process of its own, within limits of time and memory, and reads what it tells."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.measuring.environments import ROOT, plain_variables

WORKERS = Path(__file__).parent / "workers"


@dataclass(frozen=True)
class Limits:
    """What a process may use.

    Attributes:
        seconds: after which it is ended.
        gigabytes: of address space.
        threads: of the libraries that compute.
        path: further folders in which packages of programs are looked for.
    """

    seconds: float = 300.0
    gigabytes: float = 12.0
    threads: int = 1
    path: str = ""


@dataclass
class Told:
    """What a worker told before it ended.

    Attributes:
        lines: one object for each line that it wrote.
        ended: empty where it ended by itself without an error, otherwise how it ended.
        printed: the end of what it printed.
        seconds: that it ran.
    """

    lines: list[dict[str, Any]] = field(default_factory=list)
    ended: str = ""
    printed: str = ""
    seconds: float = 0.0

    @property
    def error(self) -> dict[str, Any]:
        """The ending in the form of an error, for cases of which nothing was told."""
        return {"types": ["TimeoutError"], "text": self.ended or "told nothing"}


def run_worker(name: str, asked: Mapping[str, Any], limits: Limits, python: Path | None = None) -> Told:
    """Runs a worker and returns what it told, whole or not.

    Args:
        name: of the module in `workers`.
        asked: the arguments of the worker.
        limits: what it may use.
        python: the Python of the reference; this one, with the alias, unless given.
    """
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="programs-") as folder:
        results = Path(folder, "results.jsonl")
        given = {**asked, "alias": python is None, "results": str(results)}
        variables = plain_variables(
            OMP_NUM_THREADS=str(limits.threads),
            OPENBLAS_NUM_THREADS=str(limits.threads),
            MPLBACKEND="Agg",
            PYTHONPATH=os.pathsep.join(part for part in (limits.path, "" if python else str(ROOT)) if part),
            PYTHONDONTWRITEBYTECODE="1",
        )
        command = [str(python or sys.executable), str(WORKERS / f"{name}.py"), json.dumps(given)]
        ended, printed = _run(command, Path(folder), variables, limits, python is None)
        lines = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    return Told(lines, ended, printed, time.monotonic() - began)


def _run(
    command: list[str], folder: Path, variables: Mapping[str, str], limits: Limits, is_limited: bool
) -> tuple[str, str]:
    """Runs a command in a folder; how it ended, and the end of what it printed."""
    size = int(limits.gigabytes * 2**30)

    def limit() -> None:
        if is_limited:
            resource.setrlimit(resource.RLIMIT_AS, (size, size))

    log = folder / "printed.txt"
    place = folder / "work"
    place.mkdir()
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=place,
            env=dict(variables),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=limit,
        )
        try:
            status = process.wait(limits.seconds)
            ended = f"ended with status {status}" if status else ""
        except subprocess.TimeoutExpired:
            ended = f"did not finish in {limits.seconds:g} s"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return ended, log.read_bytes()[-4000:].decode(errors="replace")
