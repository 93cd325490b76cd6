"""Snapshot of the parts of the environment that may change while a program runs.

Taken in the training's thread when a writer opens its file, in microseconds. `collect` adds the rest later.
"""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

SWITCH = "MINDINSIGHT_RECORD_ENVIRONMENT"
"""Environment variable that turns recording off for all writers of a process."""
_OFF = frozenset({"0", "false", "no", "off"})

# Modules and their functions that return the seed; called only if the module is already imported.
_SEEDS = (("framework.common.seed", "get_seed"), ("mindspore", "get_seed"), ("torch", "initial_seed"))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The command line, working directory and seed of one moment.

    Attributes:
        wall: time of the snapshot, seconds since 1970.
        command_line: command line of the program, starting with the interpreter.
        directory: working directory; empty if it was removed.
        seed: random seed, in decimal; None if none was set.
    """

    wall: float
    command_line: tuple[str, ...]
    directory: str
    seed: str | None


def is_wanted() -> bool:
    """Whether recording is not turned off for the whole process."""
    return os.environ.get(SWITCH, "").strip().lower() not in _OFF


def take_snapshot() -> Snapshot:
    """Return the snapshot of this moment."""
    try:
        directory = os.getcwd()  # noqa: PTH109  (pathlib takes longer, in the training's thread)
    except OSError:
        directory = ""
    return Snapshot(time.time(), tuple(sys.orig_argv), directory, _seed())


def _seed() -> str | None:
    for module, name in _SEEDS:
        ask: Callable[[], object] | None = getattr(sys.modules.get(module), name, None)
        try:
            seed = ask() if ask is not None else None
        except Exception:  # noqa: S112  (a failure of another library must not end the training)
            continue
        if isinstance(seed, int) and not isinstance(seed, bool):
            return str(seed)
    return None
