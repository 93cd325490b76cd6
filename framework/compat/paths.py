"""Module paths of MindSpore that differ from those of `framework`.

`from framework.nn.layer.embedding import Embedding` finds `framework.nn.layer`, as with `mindspore` for `framework`.
`framework` installs the paths at the end of its own import.
"""

from __future__ import annotations

import importlib
import sys
from typing import Final

__all__ = ["FACES", "MOVED", "NAMES", "PATHS", "install"]

_LAYERS = (
    "channel_shuffle", "combined", "dense", "embedding", "math", "rnn_cells", "rnns", "timedistributed",
)  # fmt: skip
_OPTIMIZERS = ("ada_grad", "adadelta", "adafactor", "adamax", "asgd", "lamb", "lazyadam", "proximal_ada_grad")
_FUNCTIONS = (
    "array_func", "clip_func", "debug_func", "image_func", "linalg_func", "math_func", "nn_func", "other_func",
    "parameter_func", "random_func",
)  # fmt: skip
_CALLBACKS = (
    "_backup_and_restore",
    "_callback", "_checkpoint", "_early_stop", "_lambda_callback", "_loss_monitor", "_lr_scheduler_callback",
    "_on_request_exit", "_reduce_lr_on_plateau", "_summary_collector", "_time_monitor",
)  # fmt: skip
_OPERATIONS = (
    "array_ops",
    "comm_ops",
    "debug_ops",
    "image_ops",
    "linalg_ops",
    "math_ops",
    "nn_ops",
    "other_ops",
    "random_ops",
    "sparse_ops",
)

#: Modules of `framework` by their paths in MindSpore, both without the first part.
PATHS: Final[dict[str, str]] = {
    "common.api": "jit",
    "communication.comm_func": "ops.collectives.functional_forms",
    "common.hook_handle": "nn.hooks",
    "common.lazy_inline": "jit",
    "common.no_inline": "jit",
    "common.sparse_tensor": "ops.sparse",
    "ops.function": "ops.functional",
    "ops.function.grad": "ops.composite",
    "ops.composite.base": "ops.composite",
    "ops.composite.multitype_ops": "ops.multitype",
    "ops.auto_generate": "ops",
    "ops.auto_generate.gen_ops_def": "ops.functional",
    "ops.auto_generate.gen_ops_prim": "ops.operations",
    "nn.layer.container": "nn.container",
    "nn.utils": "nn.initializing",
    "nn.utils.init": "nn.initializing",
    "profiler.profiling": "profiler",
    "train.metrics": "nn.metrics",
    "train.dataset_helper": "train.sinking",
    "train.data_sink": "train.sinking",
    "train.summary.summary_record": "train.summary",
    "dataset.vision.transforms": "dataset.vision",
    "dataset.text.transforms": "dataset.text",
    "dataset.transforms.transforms": "dataset.transforms",
    "dataset.engine.datasets_vision": "dataset.engine",
    "dataset.engine.datasets_user_defined": "dataset.engine",
    "dataset.engine.datasets_standard_format": "dataset.engine",
    "dataset.core": "dataset",
    "dataset.core.config": "dataset.config",
    "mindrecord": "dataset.mindrecord",
    **{f"nn.layer.{name}": "nn.layer" for name in _LAYERS},
    **{f"nn.optim.{name}": "nn.optim" for name in _OPTIMIZERS},
    **{f"ops.function.{name}": "ops.functional" for name in _FUNCTIONS},
    **{f"ops.operations.{name}": "ops.operations" for name in _OPERATIONS},
    **{f"train.callback.{name}": "train.callback" for name in _CALLBACKS},
}


_OPERATIONS_MOVED = (
    "activation", "adam_updates", "arithmetic", "array", "blocks", "choosing", "comparison", "convolution", "creation",
    "detection", "factorizations", "gamma", "gathering", "grids", "indexing", "integers", "likelihoods",
    "linear_algebra", "loss", "mathematics", "matrices", "normalization", "ordering", "padded_sequences", "printing",
    "random", "rectifiers", "reduce", "resizing", "sampling", "scattering", "searching", "sequences", "slicing",
    "spelling", "state", "summary", "updates", "volumes", "windowed",
)  # fmt: skip
_FUNCTIONS_MOVED = (
    "accumulating", "activations", "algebra", "arithmetic", "arranging", "bands", "boxes", "combining", "contracting",
    "convolution", "creation", "diagonals", "distributions", "drawing", "elementwise", "exchanging", "factoring",
    "images", "labels", "logarithms", "measuring", "neural", "normalizing", "picking", "pooling", "primitives",
    "products", "putting", "ranking", "rearranging", "reductions", "replacing", "scalars", "scattering", "searching",
    "shaping", "special", "squares", "stacking", "summarizing", "tables", "volumes", "windows",
)  # fmt: skip
_GRADIENTS_MOVED = (
    "arithmetic", "array", "blocks", "convolution", "detection", "elementwise", "factorizations", "gamma", "grids",
    "indexing", "likelihoods", "linear_algebra", "matrices", "neural", "rectifiers", "reduce", "resizing",
    "scattering", "searching", "sequences",
)  # fmt: skip

_LAYERS_MOVED = {
    "boxes": "pooling",
    "per_sample": "normalization",
    "rectifiers": "activation",
    "recurrent_cells": "recurrent",
    "shares": "activation",
    "volumes": "conv",
    "windows": "pooling",
}

#: Public modules by the former paths of modules whose operators or Cells have moved into a family.
MOVED: Final[dict[str, str]] = {
    "ops.bprop.registry": "ops.gradients",
    "ops.bprop.shapes": "ops.shapes",
    "ops.functional.known": "ops.shapes",
    "ops.known": "ops.shapes",
    "ops.operations.elementwise": "ops.elementwise",
    "ops.operations.shapes": "ops.shapes",
    **{f"ops.bprop.{name}": "ops.bprop" for name in _GRADIENTS_MOVED},
    **{f"ops.functional.{name}": "ops.functional" for name in _FUNCTIONS_MOVED},
    **{f"ops.operations.{name}": "ops.operations" for name in _OPERATIONS_MOVED},
    "dataset.vision.values": "dataset.vision",
    **{f"nn.layer.{name}": f"nn.layer.{home}" for name, home in _LAYERS_MOVED.items()},
}


#: Modules of this package by their paths in MindSpore.
FACES: Final[dict[str, str]] = {
    **{name: f"compat.{name}" for name in ("log", "paths", "version")},
    **dict.fromkeys(("device_context", "device_context.cpu", "device_context.cpu.op_tuning"), "compat.device_context"),
    "_extends": "compat.registering",
    "_extends.utils": "compat.registering",
    "nn.optim.thor": "compat.thor",
    "train.train_thor": "compat.thor",
}

_OPERATORS_OF_TENSORS = (
    "ops.functional.add as tensor_add", "ops.functional.sub as tensor_sub", "ops.functional.mul as tensor_mul",
    "ops.functional.real_div as tensor_div", "ops.functional.floor_div as tensor_floordiv",
    "ops.functional.floor_mod as tensor_mod", "ops.functional.pow as tensor_pow", "ops.functional.exp as tensor_exp",
    "ops.functional.lt as tensor_lt", "ops.functional.le as tensor_le", "ops.functional.gt as tensor_gt",
    "ops.functional.ge as tensor_ge",
)  # fmt: skip
#: Classes of operators by their names in MindSpore 1.0.
_CLASSES_OF_1 = (
    "ops.operations.Stack as Pack", "ops.operations.Unstack as Unpack", "ops.operations.GeLU as Gelu",
)  # fmt: skip

#: Names that MindSpore has in a module besides, as MODULE.NAME of `framework`, and `as` what where it differs.
NAMES: Final[dict[str, tuple[str, ...]]] = {
    "common": (
        "jit.jit", "jit.jit_class", "jit.ms_class", "jit.ms_function", "ops.constexpr.constexpr",
        "ops.sparse.COOTensor", "ops.sparse.CSRTensor", "ops.sparse.RowTensor",
    ),
    "common.initializer": (
        "compat.initializers.assignment as _assignment",
        "compat.initializers.calculate_correct_fan as _calculate_correct_fan",
        "compat.initializers.calculate_fan_in_and_fan_out as _calculate_fan_in_and_fan_out",
        "compat.initializers.calculate_gain as _calculate_gain",
    ),
    "dataset": ("context",),
    "dataset.engine": ("dataset.config",),
    "nn": ("compat.thor.thor",),
    "jit": ("compat.executors.executor as _pynative_executor",),
    "nn.layer": ("nn.container.CellDict", "nn.container.CellList", "nn.container.SequentialCell"),
    "nn.loss.loss": ("nn.loss.loss.LossBase as _Loss",),
    "nn.optim": ("compat.thor.thor",),
    "nn.optim.optimizer": ("compat.registering.opt_init_args_register",),
    "ops": (
        "ad.identifiers.get_grad", "compat.flags.add_flags", "compat.flags.core", *_OPERATORS_OF_TENSORS, *_CLASSES_OF_1
    ),
    "ops.composite": (
        "compat.flags.add_flags", "compat.flags.core", "ops.functional.matmul", "ops.functional.normal",
        "ops.functional.ones_like", "ops.functional.repeat_elements", "ops.functional.sequence_mask",
        "ops.functional.tensor_dot", "ops.functional.uniform", "ops.functional.zeros_like",
    ),
    "ops.functional": (
        "ops.composite.grad", "ops.composite.jacfwd", "ops.composite.jacrev", "ops.composite.jvp",
        "ops.composite.value_and_grad", "ops.composite.vjp", "compat.flags.add_flags", "compat.flags.core",
        *_OPERATORS_OF_TENSORS,
    ),
    "ops.operations": ("ops.functional.identity", *_CLASSES_OF_1),
    "train.callback": (
        "compat.calling_callbacks.CallbackManager as _CallbackManager",
        "compat.saved_files.CheckpointManager as _CheckpointManager",
        "compat.saved_files.check_file_name_prefix as _check_file_name_prefix",
        "compat.saved_files.free_name as _chg_ckpt_file_name_if_same_exist",
        "compat.saved_files.load_saved as _checkpoint_cb_for_save_op",
        "compat.saved_files.set_current as _set_cur_net",
        "train.callback.base.CallbackParam as _InternalCallbackParam",
    ),
    "train.model": ("context.ParallelMode",),
    "train.serialization": (
        "context", "common.tensor.Tensor", "compat.saved_files.save_graph as _save_graph", "train.mindir.export",
        "train.mindir.load",
    ),
}  # fmt: skip


def install() -> None:
    """Make the paths and names importable."""
    root = __name__.partition(".")[0]
    for path, names in NAMES.items():
        module = importlib.import_module(f"{root}.{path}")
        for entry in names:
            source, _, given = entry.partition(" as ")
            home, _, name = f"{root}.{source}".rpartition(".")
            if not hasattr(module, given or name):
                setattr(module, given or name, getattr(importlib.import_module(home), name))
    for path, home in (*PATHS.items(), *MOVED.items(), *FACES.items()):
        module = importlib.import_module(f"{root}.{home}")
        parent, _, name = f"{root}.{path}".rpartition(".")
        sys.modules[f"{root}.{path}"] = module
        if not hasattr(sys.modules[parent], name):
            setattr(sys.modules[parent], name, module)
