"""The ranks of the processes that train together, and their groups; MindSpore's `communication.management`.

A program that `mindinsight run -n 4` or `mpirun -n 4` started has four ranks after `init()`; any other program has one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from framework.communication import worlds
from framework.communication.contract import Communicator

__all__ = [
    "HCCL_WORLD_COMM_GROUP",
    "MCCL_WORLD_COMM_GROUP",
    "NCCL_WORLD_COMM_GROUP",
    "GlobalComm",
    "create_group",
    "destroy_group",
    "get_group_rank_from_world_rank",
    "get_group_size",
    "get_local_rank",
    "get_local_rank_size",
    "get_process_group_ranks",
    "get_rank",
    "get_world_rank_from_group_rank",
    "init",
    "release",
]

HCCL_WORLD_COMM_GROUP: Final = "hccl_world_group"
NCCL_WORLD_COMM_GROUP: Final = "nccl_world_group"
MCCL_WORLD_COMM_GROUP: Final = "mccl_world_group"
_BACKENDS = ("mpi", "mccl", "nccl", "hccl")


class GlobalComm:
    """The state that `init` sets up."""

    BACKEND: str | None = None
    WORLD_COMM_GROUP = worlds.WORLD
    INITED = False


def init(backend_name: str | None = None) -> None:
    """Find the other ranks of the program. Every rank calls this, before any collective.

    From here on the end of one rank ends all: an error, `sys.exit`, a killed process, and a collective that takes
    longer than `MS_COLLECTIVE_TIMEOUT` seconds (300; 0 for any time).

    Args:
        backend_name: the name of a backend of MindSpore, which is only stored: MPI carries all messages. By default
            "mpi".

    Raises:
        ValueError: there is no such backend, or the timeout is no number.
        RuntimeError: several processes were started, and mpi4py is missing or belongs to another MPI.

    """
    if backend_name is not None and backend_name not in _BACKENDS:
        raise ValueError(f"backend_name must be one of {', '.join(_BACKENDS)}, not {backend_name!r}")
    worlds.begin()
    GlobalComm.BACKEND = backend_name or "mpi"
    GlobalComm.INITED = True


def release() -> None:
    """End communication; every rank calls this, or none. The program may call `init` again."""
    worlds.end()
    GlobalComm.BACKEND = None
    GlobalComm.INITED = False


def get_rank(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """The rank of this process in a group.

    Raises:
        RuntimeError: `init` has not been called.
        ValueError: there is no such group, or this rank is not in it.

    """
    return _find(group).rank


def get_group_size(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """The number of processes in a group. Raises like `get_rank`."""
    return _find(group).size


def get_local_rank(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """The rank of this process among those of a group on this machine. Raises like `get_rank`."""
    found = _find(group)
    return found.local_ranks.index(found.rank)


def get_local_rank_size(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """The number of processes of a group on this machine. Raises like `get_rank`."""
    return len(_find(group).local_ranks)


def get_world_rank_from_group_rank(group: str, group_rank_id: int) -> int:
    """The rank among all processes of a process with a rank in a group.

    Raises:
        RuntimeError: `init` has not been called.
        ValueError: there is no such group, or no such rank in it.

    """
    ranks = get_process_group_ranks(group)
    if not 0 <= group_rank_id < len(ranks):
        raise ValueError(f"group {group!r} has the ranks 0 to {len(ranks) - 1}, and no rank {group_rank_id}")
    return ranks[group_rank_id]


def get_group_rank_from_world_rank(world_rank_id: int, group: str) -> int:
    """The rank in a group of a process with a rank among all. Raises like `get_world_rank_from_group_rank`."""
    ranks = get_process_group_ranks(group)
    if world_rank_id not in ranks:
        raise ValueError(f"rank {world_rank_id} is not in group {group!r}, which has the ranks {ranks}")
    return ranks.index(world_rank_id)


def get_process_group_ranks(group: str = GlobalComm.WORLD_COMM_GROUP) -> list[int]:
    """The ranks of a group's processes among all processes; also of a group that this rank is not in.

    Raises:
        RuntimeError: `init` has not been called.
        ValueError: there is no such group.

    """
    world = _world()
    return list(world.members[group] if group in world.members else world.find(group).ranks)


def create_group(group: str, rank_ids: Sequence[int]) -> None:
    """Create a group. Every rank that is in it calls this, in the same order as other collectives.

    Args:
        group: its name.
        rank_ids: the ranks of its members among all processes; their order is that of their ranks in the group.

    Raises:
        RuntimeError: `init` has not been called.
        ValueError: there is a group with this name, or a process with one of the ranks does not exist.

    """
    _world().add(group, list(rank_ids))


def destroy_group(group: str) -> None:
    """Remove a group that `create_group` has created.

    Raises:
        RuntimeError: `init` has not been called.
        ValueError: there is no such group, or it is that of all processes.

    """
    _world().remove(group)


def _find(group: str) -> Communicator:
    return _world().find(group)


def _world() -> worlds.World:
    world = worlds.current()
    if world is None:
        raise RuntimeError("call communication.init() before asking for ranks")
    return world
