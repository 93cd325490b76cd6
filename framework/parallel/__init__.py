"""MindSpore's `parallel`: how operators are cut over devices. The settings are kept, and one device computes.

`layouts` has cuts of tensors and the cheapest ways between them, for ranks that will compute them.
"""

from framework.parallel.algo_parameter_config import get_algo_parameters, reset_algo_parameters, set_algo_parameters
from framework.parallel.auto_parallel import AutoParallel, shard
from framework.parallel.layout import Layout

__all__ = ["AutoParallel", "Layout", "get_algo_parameters", "reset_algo_parameters", "set_algo_parameters", "shard"]
