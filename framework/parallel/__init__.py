"""MindSpore's `parallel`: how a training is spread over devices. The settings are kept; one device computes."""

from framework.parallel.algo_parameter_config import get_algo_parameters, reset_algo_parameters, set_algo_parameters
from framework.parallel.auto_parallel import AutoParallel, shard
from framework.parallel.layout import Layout

__all__ = ["AutoParallel", "Layout", "get_algo_parameters", "reset_algo_parameters", "set_algo_parameters", "shard"]
