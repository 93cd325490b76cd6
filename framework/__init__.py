"""The training core: defines, differentiates and trains networks. Users import it as `import framework as ms`.

It records trainings through `summaries` and never imports the dashboard, so a training needs neither Django nor a
running server.
"""

import importlib as _importlib
from collections.abc import Callable as _Callable
from collections.abc import Sequence as _Sequence
from pathlib import Path as _Path
from types import ModuleType as _Module

from framework import libraries as _libraries

_libraries.require()

# ruff: noqa: E402  (the libraries that these import are there only now)
from framework import amp, common, communication, context, dataset, nn, ops, pynative, train
from framework.ad import GradOperation, get_grad, grad, hessian, jacfwd, jacrev, jvp, value_and_grad, vjp, vmap
from framework.common import *  # noqa: F403
from framework.common import dtype as mstype
from framework.compat import log, paths
from framework.compat.version import __version__ as __version__
from framework.context import (
    COMPATIBLE,
    GRAPH_MODE,
    LAX,
    PYNATIVE_MODE,
    STRICT,
    ParallelMode,
    get_auto_parallel_context,
    get_context,
    get_current_device,
    get_ps_context,
    reset_auto_parallel_context,
    reset_ps_context,
    set_auto_parallel_context,
    set_context,
    set_deterministic,
    set_device,
    set_ps_context,
)
from framework.engine import modes as _modes  # noqa: F401, joins graph mode to Cells
from framework.infer.whole_regions import Cutting as _Cutting
from framework.infer.whole_regions import cut_by as _cut_by
from framework.ir.anf import FuncGraph as _FuncGraph
from framework.jit import jit, jit_class, lazy_inline, ms_class, ms_function, ms_memory_recycle, no_inline
from framework.ops.constexpr import constexpr
from framework.ops.sparse import COOTensor, CSRTensor, RowTensor
from framework.profiler import Profiler
from framework.train import *  # noqa: F403
from framework.train.mindir import set_reader_of_mindspore as _set_reader_of_mindspore
from framework.train.mindir import set_writer as _set_writer
from framework.train.model import set_debugger as _set_debugger


def _add_debugger(callbacks: _Sequence[train.Callback], url: str | None) -> list[train.Callback]:
    from framework.debugger.debugger import with_debugger  # Slow, and few trainings need it.

    return with_debugger(callbacks, url)


def _read_mindspores(path: _Path) -> _FuncGraph:
    from framework.mindir import read_program  # Few programs need it, and it takes time to import.

    return read_program(path)


def _write_onnx(*args: object, **kwargs: object) -> _Path:
    exporting = _importlib.import_module("framework.onnx.exporting")  # Above training, and few programs need it.
    written: _Path = exporting.export_onnx(*args, **kwargs)
    return written


def __getattr__(name: str) -> _Module | _Callable[..., object]:
    # Few trainings need these, and each takes time to import.
    if name in ("boost", "mint", "numpy", "parallel", "runtime"):
        return _importlib.import_module(f"framework.{name}")
    if name == "load_onnx":
        return _importlib.import_module("framework.onnx").load_onnx  # type: ignore[no-any-return]
    raise AttributeError(f"module 'framework' has no attribute {name!r}")


def _regions() -> _Cutting:
    from framework.parallel.programs.cut_regions import Regions  # Only programs that cut operators over ranks need it.

    return Regions()


_set_debugger(_add_debugger)
_set_reader_of_mindspore(_read_mindspores)
_cut_by(_regions)
_set_writer("ONNX", _write_onnx)
paths.install()

__all__ = [
    "COMPATIBLE",
    "GRAPH_MODE",
    "LAX",
    "PYNATIVE_MODE",
    "STRICT",
    "COOTensor",
    "CSRTensor",
    "GradOperation",
    "ParallelMode",
    "Profiler",
    "RowTensor",
    "amp",
    "common",
    "communication",
    "constexpr",
    "context",
    "dataset",
    "get_auto_parallel_context",
    "get_context",
    "get_current_device",
    "get_grad",
    "get_ps_context",
    "grad",
    "hessian",
    "jacfwd",
    "jacrev",
    "jit",
    "jit_class",
    "jvp",
    "lazy_inline",
    "log",
    "ms_class",
    "ms_function",
    "ms_memory_recycle",
    "mstype",
    "nn",
    "no_inline",
    "ops",
    "pynative",
    "reset_auto_parallel_context",
    "reset_ps_context",
    "set_auto_parallel_context",
    "set_context",
    "set_deterministic",
    "set_device",
    "set_ps_context",
    "train",
    "value_and_grad",
    "vjp",
    "vmap",
]
__all__ += common.__all__
__all__ += train.__all__
