"""Processes that train together: for now each program is the only one."""

from framework.communication.management import get_group_size, get_rank, init, release

__all__ = ["get_group_size", "get_rank", "init", "release"]
