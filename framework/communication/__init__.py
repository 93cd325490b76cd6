"""Communication of the processes that train together: groups of ranks and what they do together.

    management     MindSpore's functions: init, ranks, groups
    collectives    collectives by the name of their group, for operators
    worlds         the groups of this process, and how they come to be
    contract       what a group of ranks can do, and its plain meaning: `alone`, `lockstep` (N ranks in one process)
                   and `mpi` implement it, `reductions` has the order of sums
    failures       ends all ranks if one ends, with `watchdog`, `rank_table` and `describing`

Operators with gradients are in `framework.ops.collectives`.
"""

from framework.communication import management
from framework.communication.management import *  # noqa: F403

__all__ = management.__all__
