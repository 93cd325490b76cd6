"""What of the environment changes while a program runs, as it is when a writer opens its file.

Taken in the training's thread, in microseconds; everything else is collected later by `collect`.
"""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

SWITCH = "MINDINSIGHT_RECORD_ENVIRONMENT"
"""The variable that turns recording off for all writers of a process."""
_OFF = frozenset({"0", "false", "no", "off"})

# Who knows a seed, by module: asked only where somebody else has imported it.
_SEEDS = (("framework.common.seed", "get_seed"), ("mindspore", "get_seed"), ("torch", "initial_seed"))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The command line, working directory and seed of one moment.

    Attributes:
        wall: the moment, seconds since 1970.
        command_line: the program's, with the interpreter in front.
        directory: the working directory, empty where it is gone.
        seed: of all randomness, in decimal; None where nobody set one.
    """

    wall: float
    command_line: tuple[str, ...]
    directory: str
    seed: str | None


def is_wanted() -> bool:
    """Whether the user has not turned recording off for the whole process."""
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
        except Exception:  # noqa: S112  (somebody else's library; a training does not end for that)
            continue
        if isinstance(seed, int) and not isinstance(seed, bool):
            return str(seed)
    return None
