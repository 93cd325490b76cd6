"""The settings of a program: execution mode, device, dumps, parallel training.

`context.set_context(mode=context.GRAPH_MODE)` switches the mode in one line, even in the middle of a program.
"""

from __future__ import annotations

import warnings
from typing import Any, Final, cast

from framework import graph_mode
from framework.common import budget, device, threads
from framework.communication.data_parallel import check_device_num, set_data_parallel
from framework.communication.rank_reduction import set_deterministic as set_order
from framework.communication.rank_state import add_rank_state

__all__ = [
    "COMPATIBLE",
    "GRAPH_MODE",
    "LAX",
    "PYNATIVE_MODE",
    "STRICT",
    "ParallelMode",
    "get_auto_parallel_context",
    "get_context",
    "get_current_device",
    "get_ps_context",
    "is_graph_mode",
    "reset_auto_parallel_context",
    "reset_ps_context",
    "set_auto_parallel_context",
    "set_context",
    "set_deterministic",
    "set_device",
    "set_ps_context",
]

GRAPH_MODE: Final = 0
PYNATIVE_MODE: Final = 1

#: Values of MindSpore's `jit_syntax_level`.
STRICT: Final = 0
COMPATIBLE: Final = 1
LAX: Final = 2


class ParallelMode:
    """How training is spread over devices."""

    STAND_ALONE = "stand_alone"
    DATA_PARALLEL = "data_parallel"
    HYBRID_PARALLEL = "hybrid_parallel"
    SEMI_AUTO_PARALLEL = "semi_auto_parallel"
    AUTO_PARALLEL = "auto_parallel"

    MODE_LIST: Final = (STAND_ALONE, DATA_PARALLEL, HYBRID_PARALLEL, SEMI_AUTO_PARALLEL, AUTO_PARALLEL)


#: Other settings of MindSpore. They are stored, but have no effect on results.
_OF_MINDSPORE: Final = (
    "aoe_config", "aoe_tune_mode", "ascend_config", "auto_tune_mode", "check_bprop", "compile_cache_path",
    "debug_level", "disable_format_transform", "enable_auto_mixed_precision", "enable_compile_cache", "enable_dump",
    "enable_ge", "enable_graph_kernel", "enable_loop_sink", "enable_mem_reuse", "enable_profiling",
    "enable_reduce_precision", "enable_sparse", "enable_task_sink", "env_config_path", "exec_order", "gpu_config",
    "grad_for_scalar", "graph_kernel_flags", "inter_op_parallel_num", "jit_config", "jit_enable_inplace_ops",
    "jit_level", "load_compile_cache", "memory_offload", "memory_optimize_level",
    "mempool_block_size", "op_timeout", "precompile_only", "print_file_path", "profiling_options",
    "pynative_synchronize", "reserve_class_name_in_scope", "save_compile_cache", "save_dump_path", "support_binary",
    "variable_memory_max_size",
)  # fmt: skip
_DEFAULTS: Final[dict[str, Any]] = {
    "mode": PYNATIVE_MODE,
    "device_target": "CPU",
    "device_id": 0,
    "save_graphs": False,
    "save_graphs_path": ".",
    "max_call_depth": 1000,
    "deterministic": "ON",
    "debugger": None,
    "runtime_num_threads": 0,
    "max_device_memory": None,
    "jit_syntax_level": LAX,
    **dict.fromkeys(_OF_MINDSPORE),
}
_TYPES: Final[dict[str, type | tuple[type, ...]]] = {
    "device_id": int,
    "save_graphs": (bool, int),
    "max_call_depth": int,
    **dict.fromkeys(("enable_dump", "enable_graph_kernel", "enable_profiling", "save_compile_cache"), bool),
    **dict.fromkeys(
        (
            "deterministic", "device_target", "print_file_path", "profiling_options", "save_dump_path",
            "save_graphs_path", "variable_memory_max_size",
        ),
        str,
    ),
}  # fmt: skip
"""The types of settings that have one only."""
_PARALLEL_OF_MINDSPORE: Final = (
    "all_reduce_fusion_split_indices", "auto_parallel_search_mode", "auto_pipeline", "comm_fusion",
    "communi_parallel_mode", "dump_device_local_norm", "dump_local_norm",
    "dump_local_norm_path", "enable_alltoall", "force_fp32_communication", "full_batch_is_set",
    "grad_accumulation_step", "group_ckpt_save_file", "loss_repeated_mean", "mirror_mean",
    "optimizer_weight_shard_aggregated_save", "optimizer_weight_shard_size", "parallel_optimizer_config",
    "pipeline_config", "pipeline_interleave", "pipeline_result_broadcast", "pipeline_scheduler",
    "pipeline_segments", "strategy_ckpt_config",
)  # fmt: skip
_PARALLEL_DEFAULTS: Final[dict[str, Any]] = {
    "parallel_mode": ParallelMode.STAND_ALONE,
    "device_num": 1,
    "global_rank": 0,
    "gradients_mean": False,
    "parameter_broadcast": False,
    "strategy_ckpt_load_file": "",
    "strategy_ckpt_save_file": "",
    "full_batch": False,
    "dataset_strategy": "data_parallel",
    "gradient_fp32_sync": True,
    "search_mode": "recursive_programming",
    "all_reduce_fusion_config": None,
    "enable_parallel_optimizer": False,
    "pipeline_stages": 1,
    **dict.fromkeys(_PARALLEL_OF_MINDSPORE),
}

#: Devices that programs name and that are not here: the CPU computes instead.
_ELSEWHERE: Final = ("Ascend", "Davinci")

_settings: dict[str, Any] = dict(_DEFAULTS)
_has_warned = False
_parallel: dict[str, Any] = dict(_PARALLEL_DEFAULTS)


def set_context(**settings: Any) -> None:
    """Change settings.

    Args:
        settings: `mode` (GRAPH_MODE or PYNATIVE_MODE), `device_target` ("CPU" or "GPU"; "Ascend", or "GPU" where there
            is none, gives one warning, and the CPU computes), `device_id`, `save_graphs`, `save_graphs_path`,
            `max_call_depth`, `deterministic`, `runtime_num_threads` (the most threads that one kernel uses; 0:
            OMP_NUM_THREADS, or the number of processors), `debugger` (the address of a dashboard, or True for the
            default one; `Model.train` attaches to its debugger), `max_device_memory` (a text such as "1.5GB"; graph
            mode refuses to compile programs that need more; None: any amount), `jit_syntax_level` (LAX runs a function
            line by line if only Python can compute what it does; STRICT refuses it), and other settings of MindSpore,
            such as `jit_config`, which are stored without effect.

    Raises:
        TypeError: a setting is of another type.
        ValueError: there is no such setting, or it cannot have this value.

    """
    _check(settings, _DEFAULTS, "set_context")
    for name, value in settings.items():
        if value is not None and not isinstance(value, _TYPES.get(name, object)):
            raise TypeError(f"set_context: {name} must be of type {_TYPES[name]}, and is {value!r}")
    if settings.get("mode", PYNATIVE_MODE) not in (GRAPH_MODE, PYNATIVE_MODE):
        raise ValueError(f"mode must be context.GRAPH_MODE (0) or context.PYNATIVE_MODE (1), not {settings['mode']!r}")
    if "device_target" in settings:
        settings["device_target"] = _choose_device(settings["device_target"])
    if "runtime_num_threads" in settings:
        threads.set_limit(settings["runtime_num_threads"])
    if "deterministic" in settings:
        set_order(settings["deterministic"] != "OFF")
    if "max_device_memory" in settings:
        budget.set_limit(settings["max_device_memory"])
    is_new = settings.get("mode") == GRAPH_MODE != _settings["mode"]
    _settings.update(settings)
    if is_new:
        graph_mode.prepare()


def set_device(device_target: str, device_id: int | None = None) -> None:
    """Choose the device, as `set_context(device_target=..., device_id=...)` does.

    Args:
        device_target: "CPU", "GPU" or "Ascend".
        device_id: the number of the device; None for 0.

    Raises:
        ValueError: there is no such kind of device, or the number is negative.

    """
    if device_id is not None and device_id < 0:
        raise ValueError(f"device_id must be at least 0, not {device_id}")
    set_context(device_target=device_target, device_id=device_id or 0)


def get_current_device() -> tuple[str, int]:
    """The device that computes: "CPU" or "GPU", and its number."""
    return _settings["device_target"], _settings["device_id"]


def set_deterministic(deterministic: bool) -> None:
    """Ask for results that repeat themselves, as they always do on this core's CPU; the wish is stored.

    Args:
        deterministic: whether the same program must give the same numbers.

    """
    set_context(deterministic="ON" if deterministic else "OFF")


def _choose_device(target: str) -> str:
    """Compute on a device, or on the CPU in its place; returns the device that computes."""
    global _has_warned
    reason = "there is none here"
    if target not in _ELSEWHERE:
        try:
            device.set_device_target(target)
            return target
        except RuntimeError as error:
            reason = str(error)
    device.set_device_target("CPU")
    if not _has_warned:
        _has_warned = True
        warnings.warn(f"device_target={target!r}: the CPU computes instead, since {reason}", stacklevel=3)
    return "CPU"


def get_context(name: str) -> Any:
    """The value of a setting.

    Raises:
        ValueError: there is no such setting.

    """
    _check([name], _DEFAULTS, "get_context")
    return _settings[name]


def is_graph_mode() -> bool:
    """Whether the execution mode is `GRAPH_MODE`; each call of a Cell asks."""
    mode: int = _settings["mode"]
    return mode == GRAPH_MODE


def set_auto_parallel_context(**settings: Any) -> None:
    """Change how training is spread over ranks.

    Args:
        settings: `parallel_mode` (one of `ParallelMode`; with DATA_PARALLEL or HYBRID_PARALLEL training steps add up
            the gradients of all ranks, and data sets give each rank its own part; with SEMI_AUTO_PARALLEL and
            AUTO_PARALLEL graph mode cuts operators over ranks), `search_mode`, `gradients_mean` (divide the sum by
            the number of ranks), `parameter_broadcast` (begin with the parameters of rank 0), `gradient_fp32_sync` (add
            up halves as Float32; True by default), `device_num` (the number of ranks, which is known without it),
            `full_batch` and `dataset_strategy="full_batch"` (each rank reads all data; or a tuple of numbers for each
            argument of the network, which says how it is cut). Other settings of MindSpore are
            stored without effect.

    Raises:
        ValueError: there is no such setting, no such mode, or another number of ranks than `device_num`.

    """
    _check(settings, _PARALLEL_DEFAULTS, "set_auto_parallel_context")
    mode = settings.get("parallel_mode", ParallelMode.STAND_ALONE)
    if mode not in ParallelMode.MODE_LIST:
        raise ValueError(f"parallel_mode must be one of {', '.join(ParallelMode.MODE_LIST)}, not {mode!r}")
    if "device_num" in settings:
        check_device_num(settings["device_num"])
    _parallel.update(settings)
    _spread()


def _spread() -> None:
    """Tell training steps and data sets what the settings mean for them."""
    combines = _parallel["parallel_mode"] in (ParallelMode.DATA_PARALLEL, ParallelMode.HYBRID_PARALLEL)
    cuts = _parallel["parallel_mode"] in (ParallelMode.SEMI_AUTO_PARALLEL, ParallelMode.AUTO_PARALLEL)
    divides = not _parallel["full_batch"] and _parallel["dataset_strategy"] == "data_parallel"
    set_data_parallel(combines, divides and (combines or cuts), cuts)


def get_auto_parallel_context(name: str) -> Any:
    """The value of a setting of parallel training.

    Raises:
        ValueError: there is no such setting.

    """
    _check([name], _PARALLEL_DEFAULTS, "get_auto_parallel_context")
    return _parallel[name]


def reset_auto_parallel_context() -> None:
    """Train on one device again."""
    _parallel.update(_PARALLEL_DEFAULTS)
    _spread()


class _OfRank:
    """The settings of each rank of an in-process group; all begin with the present ones."""

    def new(self) -> object:
        """The present settings."""
        return self.take()

    def take(self) -> object:
        """The present settings."""
        return dict(_settings), dict(_parallel)

    def put(self, state: object) -> None:
        """Go on with the settings of a rank."""
        settings, parallel = cast("tuple[dict[str, Any], dict[str, Any]]", state)
        _settings.update(settings)
        _parallel.update(parallel)


add_rank_state(_OfRank())


_SERVER_DEFAULTS: Final[dict[str, Any]] = {
    "enable_ps": False,
    "config_file_path": "",
    "enable_ssl": False,
    "client_password": "",
    "server_password": "",
}
_server: dict[str, Any] = dict(_SERVER_DEFAULTS)


def set_ps_context(**settings: Any) -> None:
    """Settings of a parameter server, which holds the weights of several workers in MindSpore; there is none here.

    Args:
        settings: `enable_ps`, which must be False; `config_file_path`, `enable_ssl`, `client_password` and
            `server_password`, which say how workers reach a server.

    Raises:
        ValueError: there is no such setting.
        NotImplementedError: `enable_ps` is True.

    """
    _check(settings, _SERVER_DEFAULTS, "set_ps_context")
    if settings.get("enable_ps"):
        raise NotImplementedError(
            "set_ps_context(enable_ps=True): a parameter server is not supported: leave the call out to keep the "
            "weights in the training process"
        )
    _server.update(settings)


def get_ps_context(attr_key: str) -> Any:
    """The value of a setting of `set_ps_context`.

    Raises:
        ValueError: there is no such setting.

    """
    _check([attr_key], _SERVER_DEFAULTS, "get_ps_context")
    return _server[attr_key]


def reset_ps_context() -> None:
    """Give all settings of `set_ps_context` their first values again."""
    _server.update(_SERVER_DEFAULTS)


def _check(names: Any, known: dict[str, Any], caller: str) -> None:
    for name in names:
        if name not in known:
            effective = sorted(known.keys() - {*_OF_MINDSPORE, *_PARALLEL_OF_MINDSPORE})
            raise ValueError(f"{caller}: there is no setting {name!r}; there are {', '.join(effective)}")
