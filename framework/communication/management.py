"""The rank of this process and the number of processes that train together; MindSpore's `communication.management`."""

from __future__ import annotations

__all__ = [
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

_BACKENDS = ("mpi", "mccl", "nccl", "hccl")
#: Groups besides the group of all processes.
_groups: set[str] = set()


class GlobalComm:
    """The state that `init` sets up."""

    BACKEND: str | None = None
    WORLD_COMM_GROUP = "world"
    INITED = False


def init(backend_name: str | None = None) -> None:
    """Initialize communication. This process is the only one.

    Args:
        backend_name: the name of the backend, which is only stored; by default "mpi".

    Raises:
        ValueError: there is no such backend.

    """
    if backend_name is not None and backend_name not in _BACKENDS:
        raise ValueError(f"backend_name must be one of {', '.join(_BACKENDS)}, not {backend_name!r}")
    GlobalComm.BACKEND = backend_name or "mpi"
    GlobalComm.INITED = True


def release() -> None:
    """End communication."""
    GlobalComm.BACKEND = None
    GlobalComm.INITED = False
    _groups.clear()


def get_rank(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """The rank of this process in a group.

    Raises:
        RuntimeError: `init` has not been called.

    """
    _check(group)
    return 0


def get_group_size(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """The number of processes in a group.

    Raises:
        RuntimeError: `init` has not been called.

    """
    _check(group)
    return 1


def get_local_rank(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """The rank of this process among those of a group on this machine. Raises like `get_rank`."""
    return get_rank(group)


def get_local_rank_size(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """The number of processes of a group on this machine. Raises like `get_rank`."""
    return get_group_size(group)


def get_world_rank_from_group_rank(group: str, group_rank_id: int) -> int:
    """The rank among all processes of a process with a rank in a group. Raises like `create_group`."""
    _check(group)
    _only([group_rank_id])
    return 0


def get_group_rank_from_world_rank(world_rank_id: int, group: str) -> int:
    """The rank in a group of a process with a rank among all processes. Raises like `create_group`."""
    _check(group)
    _only([world_rank_id])
    return 0


def get_process_group_ranks(group: str = GlobalComm.WORLD_COMM_GROUP) -> list[int]:
    """The ranks of a group's processes among all processes. Raises like `get_rank`."""
    _check(group)
    return [0]


def create_group(group: str, rank_ids: list[int]) -> None:
    """Create a group. It can only contain this process.

    Raises:
        RuntimeError: `init` has not been called.
        ValueError: a process with one of the ranks does not exist.

    """
    _check(GlobalComm.WORLD_COMM_GROUP)
    _only(rank_ids)
    _groups.add(group)


def destroy_group(group: str) -> None:
    """Remove a group that `create_group` has created."""
    _check(group)
    _groups.discard(group)


def _only(rank_ids: list[int]) -> None:
    if list(rank_ids) != [0]:
        raise ValueError(f"this process is the only one and has rank 0, so there are no ranks {list(rank_ids)}")


def _check(group: str) -> None:
    if not GlobalComm.INITED:
        raise RuntimeError("call communication.init() before asking for ranks")
    if group != GlobalComm.WORLD_COMM_GROUP and group not in _groups:
        known = ", ".join(map(repr, (GlobalComm.WORLD_COMM_GROUP, *sorted(_groups))))
        raise ValueError(f"there is no group {group!r}; there is {known}")
