"""Communication of processes that train together. For now, there is only one process."""

from framework.communication import management
from framework.communication.management import *  # noqa: F403

__all__ = management.__all__
