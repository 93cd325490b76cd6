"""Which process this is, and how many train together; MindSpore's `communication.management`."""

from __future__ import annotations

__all__ = ["GlobalComm", "get_group_size", "get_rank", "init", "release"]

_BACKENDS = ("mpi", "mccl", "nccl", "hccl")


class GlobalComm:
    """What `init` has set up."""

    BACKEND: str | None = None
    WORLD_COMM_GROUP = "world"
    INITED = False


def init(backend_name: str | None = None) -> None:
    """Join the processes that train together: this one alone.

    Args:
        backend_name: recorded; "mpi" where it is left out.

    Raises:
        ValueError: there is no such backend.

    """
    if backend_name is not None and backend_name not in _BACKENDS:
        raise ValueError(f"backend_name must be one of {', '.join(_BACKENDS)}, not {backend_name!r}")
    GlobalComm.BACKEND = backend_name or "mpi"
    GlobalComm.INITED = True


def release() -> None:
    """Leave the processes that train together."""
    GlobalComm.BACKEND = None
    GlobalComm.INITED = False


def get_rank(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """The number of this process among those of a group.

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


def _check(group: str) -> None:
    if not GlobalComm.INITED:
        raise RuntimeError("call communication.init() before asking for ranks")
    if group != GlobalComm.WORLD_COMM_GROUP:
        raise ValueError(f"there is no group {group!r}; the only one is {GlobalComm.WORLD_COMM_GROUP!r}")
