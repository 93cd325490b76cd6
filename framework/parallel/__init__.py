"""MindSpore's `parallel`: operators that are cut over ranks, by strategies of the program or by a search.

layouts                 cuts of tensors, and the cheapest ways between them
rules                   how the work of an operator may be divided
strategies              the divisions that a program's strategies give, and all that there are
network                 a network as the choice of divisions sees it
divisions               the divisions of each operator, with their costs by `cost` on a machine of `machines`
propagation, search     choose a division for each operator
deciding                which of these, by the settings; the report
programs                from the program of all ranks to that of one; inference calls it

The other modules are MindSpore's public names.
"""

from framework.parallel.algo_parameter_config import get_algo_parameters, reset_algo_parameters, set_algo_parameters
from framework.parallel.auto_parallel import AutoParallel, shard
from framework.parallel.deciding import search_report
from framework.parallel.layout import Layout
from framework.parallel.machines import Machine, get_machine, set_machine

__all__ = [
    "AutoParallel",
    "Layout",
    "Machine",
    "get_algo_parameters",
    "get_machine",
    "reset_algo_parameters",
    "search_report",
    "set_algo_parameters",
    "set_machine",
    "shard",
]
