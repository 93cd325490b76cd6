"""Readings of the parallel settings that MindSpore's users import."""

from framework.parallel._auto_parallel_context import auto_parallel_context

__all__: list[str] = []

_get_device_num = auto_parallel_context().get_device_num
_get_enable_parallel_optimizer = auto_parallel_context().get_enable_parallel_optimizer
_get_global_rank = auto_parallel_context().get_global_rank
_get_gradients_mean = auto_parallel_context().get_gradients_mean
_get_parallel_mode = auto_parallel_context().get_parallel_mode
_get_parameter_broadcast = auto_parallel_context().get_parameter_broadcast
_get_pipeline_stages = auto_parallel_context().get_pipeline_stages
