"""Processes that train together: for now each program is the only one."""

from framework.communication import management
from framework.communication.management import *  # noqa: F403

__all__ = management.__all__
