"""`auto_parallel_context()`, by which training steps of MindSpore's users read how a training is spread."""

from __future__ import annotations

from framework import context
from framework.communication.worlds import WORLD, communicator, group_size

__all__ = ["auto_parallel_context"]


class AutoParallelContext:
    """Reads the settings of `context.set_auto_parallel_context`."""

    def get_parallel_mode(self) -> str:
        """How the training is spread; one of `ParallelMode`."""
        return str(context.get_auto_parallel_context("parallel_mode"))

    def get_device_num(self) -> int:
        """The number of devices that the program set, else that of the ranks."""
        return int(context.get_auto_parallel_context("device_num")) if self.get_device_num_is_set() else group_size()

    def get_device_num_is_set(self) -> bool:
        """Whether the program set a number of devices."""
        return int(context.get_auto_parallel_context("device_num")) != 1

    def get_global_rank(self) -> int:
        """The number of this device that the program set, else the rank."""
        return int(context.get_auto_parallel_context("global_rank")) or communicator(WORLD).rank

    def get_gradients_mean(self) -> bool:
        """Whether gradients are averaged over devices, not summed."""
        return bool(context.get_auto_parallel_context("gradients_mean"))

    def get_parameter_broadcast(self) -> bool:
        """Whether the first device's parameters are those of all."""
        return bool(context.get_auto_parallel_context("parameter_broadcast"))

    def get_pipeline_stages(self) -> int:
        """The number of stages of a pipeline."""
        return int(context.get_auto_parallel_context("pipeline_stages"))

    def get_enable_parallel_optimizer(self) -> bool:
        """Whether each device updates a part of the parameters."""
        return bool(context.get_auto_parallel_context("enable_parallel_optimizer"))


_CONTEXT = AutoParallelContext()


def auto_parallel_context() -> AutoParallelContext:
    """The settings of this process."""
    return _CONTEXT
