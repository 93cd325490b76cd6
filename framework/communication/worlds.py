"""The groups of this process by name, and how they come to be: alone, by MPI, or within an in-process group.

`management` is the public face of this module; `collectives` finds the group of a collective here.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from framework.communication import lockstep
from framework.communication.alone import Alone
from framework.communication.contract import Communicator
from framework.communication.failures import Guard
from framework.communication.rank_table import RankTable, start_reporter
from framework.communication.watchdog import TIMEOUT_VARIABLE, timeout_from_environment

__all__ = ["WORLD", "World", "begin", "communicator", "current", "end", "group_size"]

WORLD: Final = "world"
#: MindSpore's names of the group of all ranks.
_WORLDS: Final = (WORLD, "hccl_world_group", "nccl_world_group", "mccl_world_group")
#: The least time in seconds that the ranks have to come to `init`.
_SHORTEST_START: Final = 30.0
#: What launchers tell a process: the number of ranks. MPICH, Intel MPI and Hydra; Open MPI; PMIx.
_SIZES: Final = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MPI_LOCALNRANKS")


class World:
    """All ranks of a program, and the groups that it has made.

    Args:
        everyone: the group of all ranks.
        guard: ends the program if a rank fails; None within one process.
        table: the table of the ranks of this machine; None within one process.
    """

    def __init__(self, everyone: Communicator, guard: Guard | None = None, table: RankTable | None = None) -> None:
        self.everyone, self.guard, self.table = everyone, guard, table
        #: Groups besides that of all ranks, by name; None for one that this rank is not in.
        self.groups: dict[str, Communicator | None] = {}
        self.members: dict[str, tuple[int, ...]] = {}

    def find(self, name: str) -> Communicator:
        """The group with a name.

        Raises:
            ValueError: there is no such group, or this rank is not in it.
        """
        if name in _WORLDS:
            return self.everyone
        if name not in self.members:
            known = ", ".join(map(repr, (WORLD, *sorted(self.members))))
            raise ValueError(f"there is no group {name!r}; there is {known}")
        found = self.groups[name]
        if found is None:
            raise ValueError(
                f"rank {self.everyone.rank} is not in group {name!r}, which has the ranks {list(self.members[name])}"
            )
        return found

    def add(self, name: str, ranks: Sequence[int]) -> None:
        """Make a group; every rank that is in it calls this. Raises as `management.create_group`."""
        if name in self.members or name in _WORLDS:
            raise ValueError(f"there is already a group {name!r}: choose another name, or call destroy_group before")
        here = self.everyone
        if not ranks or len(set(ranks)) != len(ranks) or not all(0 <= rank < here.size for rank in ranks):
            have = (
                "this process is the only one and has rank 0" if here.size == 1 else f"ranks are 0 to {here.size - 1}"
            )
            raise ValueError(f"{have}, so there are no ranks {list(ranks)}: name each rank of group {name!r} once")
        here.call = f"create_group({name!r}, {list(ranks)})"
        if self.table is not None and here.rank in ranks:
            self.table.waits(here.call, tuple(ranks))
        self.groups[name] = here.subgroup(list(ranks)) if here.rank in ranks else None
        if self.table is not None:
            self.table.runs()
        self.members[name] = tuple(ranks)

    def remove(self, name: str) -> None:
        """Forget a group. Raises as `management.destroy_group`."""
        if name in _WORLDS:
            raise ValueError("the group of all ranks ends with communication.release()")
        if name not in self.members:
            self.find(name)
        del self.groups[name], self.members[name]


class _Here(threading.local):
    """The world of a rank that is a thread."""

    world: World | None = None


_here = _Here()
_of_process: World | None = None
_alone: Final = World(Alone())


def current() -> World | None:
    """The world that `begin` has made; None before."""
    return _here.world if lockstep.current_world() is not None else _of_process


def communicator(group: str) -> Communicator:
    """The group with a name; before `begin`, this process alone. Raises as `World.find`."""
    return (current() or _alone).find(group)


def group_size(group: str = WORLD) -> int:
    """The number of ranks of a group; 1 before `begin`. Raises as `World.find`."""
    return communicator(group).size


def begin() -> None:
    """Make the world of this process or thread, unless it is there.

    Raises:
        RuntimeError: several processes were started, and mpi4py is missing or belongs to another MPI.
    """
    global _of_process
    within = lockstep.current_world()
    if within is not None:
        _here.world = _here.world or World(within)
    elif _of_process is None:
        started = _started_ranks()
        _of_process = _world_of_mpi(started) if started > 1 else World(Alone())


def end() -> None:
    """Forget the world and its groups."""
    global _of_process
    if lockstep.current_world() is not None:
        _here.world = None
        return
    if _of_process is not None and _of_process.guard is not None:
        _of_process.everyone.barrier()
        _of_process.guard.remove()
    _of_process = None


def _started_ranks() -> int:
    """How many ranks the program was started with, as launchers tell it."""
    return max(
        (int(os.environ.get(name, "1") or 1) for name in _SIZES if os.environ.get(name, "1").isdigit()), default=1
    )


def _world_of_mpi(started: int) -> World:
    if importlib.util.find_spec("mpi4py") is None:
        raise RuntimeError(
            f"{started} processes were started, and mpi4py, by which they communicate, is not installed: "
            "pip install 'mindinsight[parallel]'"
        )
    timeout = timeout_from_environment()
    # A machine that is busy starts the ranks one after another.
    with _limited(max(timeout, _SHORTEST_START) if timeout else 0, started):
        from framework.communication import mpi

        everyone = mpi.world()
        if everyone.size == 1:
            raise RuntimeError(
                f"{started} processes were started, and the MPI library that mpi4py has loaded sees one: use the "
                f"mpirun of that library, {mpi.library()}"
            )
        table = _table(everyone)
    guard = Guard(everyone.rank, everyone.size, table, timeout, mpi.abort)
    guard.install()
    return World(everyone, guard, table)


def _table(everyone: Communicator) -> RankTable:
    """Make the table of the ranks of this machine. Its file has no name once all of them have opened it."""
    local = everyone.subgroup(everyone.local_ranks)
    path = Path()
    if local.rank == 0:
        descriptor, name = tempfile.mkstemp(prefix="mindinsight-ranks-")
        os.truncate(descriptor, RankTable.length(local.size))
        os.close(descriptor)
        path = Path(name)
    path = local.share(path)[0]
    table = RankTable(path, local.size)
    table.join(local.rank, everyone.rank)
    local.barrier()
    if local.rank == 0:
        path.unlink()
        start_reporter(table, local.size)
    return table


@contextlib.contextmanager
def _limited(timeout: float, started: int) -> Iterator[None]:
    """End this process if the others do not come here in time."""

    def give_up() -> None:
        os.write(
            2,
            f"\nmindinsight: not all of {started} ranks have called communication.init() within {timeout:g} s: every "
            f"rank must call it ({TIMEOUT_VARIABLE} sets the limit, from {_SHORTEST_START:g} s on)\n".encode(),
        )
        os._exit(1)

    timer = threading.Timer(timeout, give_up) if timeout else None
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        yield
    finally:
        if timer is not None:
            timer.cancel()
