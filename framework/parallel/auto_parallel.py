"""`AutoParallel`, which keeps settings without effect, and `shard`: how a network is spread over devices."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from framework.communication.data_parallel import ranks_of_cut_operators
from framework.nn.cell import Cell
from framework.nn.wrap.sharding import sharded

__all__ = ["AutoParallel", "shard"]

_MODES = ("semi_auto", "sharding_propagation", "recursive_programming")
_told = False


class AutoParallel(Cell):
    """A network with settings of how it is spread. One device computes, so the settings change nothing; one warning.

    Args:
        network: a Cell, or a function such as a training step.
        parallel_mode: "semi_auto", "sharding_propagation" or "recursive_programming".

    Raises:
        TypeError: the network is neither.
        ValueError: there is no such mode.

    """

    def __init__(self, network: Callable[..., Any], parallel_mode: str = "semi_auto") -> None:
        super().__init__(auto_prefix=False)
        if not callable(network):
            raise TypeError(f"AutoParallel: network must be a Cell or a function, not {type(network).__name__}")
        if parallel_mode not in _MODES:
            raise ValueError(f"AutoParallel: parallel_mode must be one of {', '.join(_MODES)}, not {parallel_mode!r}")
        self.network = network
        #: What the methods have set, by their names.
        self.settings: dict[str, Any] = {"parallel_mode": parallel_mode}
        _warn()

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        """What the network gives."""
        return self.network(*args, **kwargs)

    def _keep(self, name: str, value: Any = True) -> None:
        self.settings[name] = value

    def no_init_parameters_in_compile(self) -> None:
        """Do not give parameters their first values while compiling."""
        self._keep("no_init_parameters_in_compile")

    def load_param_strategy_file(self, file_path: str) -> None:
        """Keep the path of a file of strategies for parameters."""
        self._keep("load_param_strategy_file", file_path)

    def save_param_strategy_file(self, file_path: str) -> None:
        """Keep the path for a file of strategies for parameters."""
        self._keep("save_param_strategy_file", file_path)

    def load_operator_strategy_file(self, file_path: str) -> None:
        """Keep the path of a file of strategies for operators."""
        self._keep("load_operator_strategy_file", file_path)

    def save_operator_strategy_file(self, file_path: str) -> None:
        """Keep the path for a file of strategies for operators."""
        self._keep("save_operator_strategy_file", file_path)

    def disable_strategy_file_only_for_trainable_params(self) -> None:
        """Write strategies of all parameters."""
        self._keep("disable_strategy_file_only_for_trainable_params")

    def dataset_strategy(self, config: str | tuple[Any, ...]) -> None:
        """Keep how the data set is cut: "full_batch", "data_parallel", or a strategy for each input."""
        self._keep("dataset_strategy", config)

    def hsdp(self, shard_size: int = -1, threshold: int = 64, optimizer_level: str = "level1") -> None:
        """Store how the optimizer's parameters are split: number of devices, least size in kB, and level."""
        self._keep("hsdp", (shard_size, threshold, optimizer_level))

    def pipeline(
        self, stages: int = 1, output_broadcast: bool = False, interleave: bool = False, scheduler: str = "1f1b"
    ) -> None:
        """Keep the number of stages of a pipeline, and how they take turns."""
        if isinstance(stages, bool) or not isinstance(stages, int) or stages < 1:
            raise ValueError(f"AutoParallel: stages must be a whole number from 1, not {stages!r}")
        self._keep("pipeline", (stages, output_broadcast, interleave, scheduler))

    def get_pipeline_stages(self) -> int:
        """The number of stages that `pipeline` has set; 1 by default."""
        return int(self.settings.get("pipeline", (1,))[0])

    def comm_fusion(self, config: dict[str, Any]) -> None:
        """Keep which messages between devices are sent together."""
        self._keep("comm_fusion", config)

    def enable_fp32_communication(self) -> None:
        """Send gradients as Float32."""
        self._keep("enable_fp32_communication")

    def enable_gradients_mean(self) -> None:
        """Average gradients over devices."""
        self._keep("enable_gradients_mean")

    def disable_gradient_fp32_sync(self) -> None:
        """Add up gradients in their own type."""
        self._keep("disable_gradient_fp32_sync")

    def disable_loss_repeated_mean(self) -> None:
        """Do not divide the loss by the number of devices that compute it."""
        self._keep("disable_loss_repeated_mean")

    def set_group_ckpt_save_file(self, file_path: str) -> None:
        """Keep the path for a file of groups of devices."""
        self._keep("set_group_ckpt_save_file", file_path)

    def transformer_opt(self, file_path: str | None) -> None:
        """Keep the path of a file of settings for transformers."""
        self._keep("transformer_opt", file_path)


def shard(
    fn: Callable[..., Any], in_strategy: Any, out_strategy: Any = None, parameter_plan: Any = None
) -> Callable[..., Any]:
    """A function whose inputs and outputs are cut over ranks; on one device the function itself.

    Args:
        fn: a Cell or a function.
        in_strategy: how each of its inputs is to be cut: tuples of numbers, `Layout`s, or None to leave it.
        out_strategy: how each of its outputs is to be cut.
        parameter_plan: how parameters are to be cut, by name; not supported on several ranks.

    Raises:
        TypeError: `fn` cannot be called, or `in_strategy` is no tuple.
        NotImplementedError: several ranks run, and there is a `parameter_plan`.

    """
    if not callable(fn):
        raise TypeError(f"shard: fn must be a Cell or a function, not {type(fn).__name__}")
    if not isinstance(in_strategy, tuple):
        raise TypeError(f"shard: in_strategy must be a tuple with a strategy for each input, not {in_strategy!r}")
    if ranks_of_cut_operators() > 1:
        if parameter_plan is not None:
            raise NotImplementedError("shard: parameter_plan is not supported: give operators strategies")
        return sharded(fn, in_strategy, out_strategy)
    _warn()
    return fn


def _warn() -> None:
    global _told
    if not _told:
        _told = True
        warnings.warn("one device computes the whole network; strategies for several have no effect", stacklevel=3)
