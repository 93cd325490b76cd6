"""From a cluster to a Python function: machine code from the disk if it is there, else from LLVM.

A kernel is kept under the hash of its cluster, of the versions that made it and of the processor's features, so that
machines can share a directory. Files are written whole or not at all; a damaged one is made anew.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import logging
import os
import platform
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from framework.common import abi, threads
from framework.common.replacing import replacing
from framework.kernels.fused.cluster import ANY, MOST_THREADS, Cluster, Input, Output, Step, flat

if TYPE_CHECKING:
    import llvmlite.binding as llvm
    from llvmlite import ir

__all__ = [
    "Kernel",
    "cache_directory",
    "callable_at",
    "engine_of",
    "kernel_of",
    "load_llvm",
    "loops_of",
    "object_of",
    "version",
]

Kernel = Callable[..., Any]
VARIABLE: Final = "MS_COMPILER_CACHE_PATH"
"""The environment variable with the directory of kernels: that of MindSpore's compiler cache."""
_FORMAT: Final = 2
_log = logging.getLogger("framework")


def version() -> str:
    """The compiler for generated kernels.

    Raises:
        ImportError: there is no compiler for this Python, or arrays are not laid out as kernels expect.
    """
    abi.require(abi.OBJECT, abi.ARRAY, abi.DESCR)
    import llvmlite

    return f"LLVM by llvmlite {llvmlite.__version__}"


def cache_directory() -> Path:
    """Where kernels are kept."""
    chosen = os.environ.get(VARIABLE)
    return Path(chosen) if chosen else Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "mindinsight"


def kernel_of(cluster: Cluster) -> Kernel:
    """The function that computes a cluster.

    Args:
        cluster: what to compute.

    Returns:
        A function of the arrays to read and those to write, which returns the last one. It returns None and does
        nothing where an array is not what the cluster says, or not contiguous. Other Python threads run during a long
        call.
    """
    return _made(cluster)[0]


def loops_of(cluster: Cluster) -> int:
    """The address of the loops of a cluster, `run` of `spreading.write_spread`; it checks no arrays."""
    return _made(cluster)[1]


def _made(cluster: Cluster) -> tuple[Kernel, int]:
    # As text, since 0.0 and -0.0 are equal.
    cluster = flat(cluster)
    key = repr(cluster)
    if key not in _kernels:
        engine = _loaded(cluster)
        _kernels[key] = callable_at(engine.get_function_address("entry")), engine.get_function_address("run")
    return _kernels[key]


def callable_at(address: int) -> Kernel:
    """A Python function of machine code: `entry(self, arguments, count)` of CPython's C API, `self` being ndarray.

    Args:
        address: the address of the code, which stays in memory until the process ends.
    """
    definition = abi.MethodDef(b"fused", address, abi.FASTCALL, None)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.POINTER(abi.MethodDef), ctypes.py_object, ctypes.c_void_p]
    kernel: Kernel = make(ctypes.byref(definition), np.ndarray, None)
    # A function reads its definition when it is freed, which may be the last thing that a process does.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(definition))
    return kernel


_kernels: Final[dict[str, tuple[Kernel, int]]] = {}
_engines: Final[list[llvm.ExecutionEngine]] = []


def load_llvm() -> None:
    """Load LLVM and one kernel: the first kernel takes ten times the time and memory of the others."""
    array = Input("float32", ANY, ANY)
    kernel_of(Cluster(ANY, (array,), (Step("Neg", "float32", (0,), "float32"),), (Output(1),)))


@functools.cache
def _machine() -> tuple[llvm.Target, str, int]:
    """LLVM's target, a text that describes the machine and the tools, and the number of elements in a vector."""
    import llvmlite
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features()
    wide = features.get("avx512f", False)
    of_machine = (
        cpu,
        features.flatten(),
        llvmlite.__version__,
        llvm.llvm_version_info,
        platform.python_version_tuple(),
    )
    return llvm.Target.from_default_triple(), repr((_FORMAT, _sources(), of_machine)), 16 if wide else 8


@functools.cache
def _sources() -> str:
    """The hash of the modules that write kernels: other versions of them write other kernels."""
    found = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()


def _target_machine() -> llvm.TargetMachine:
    """A new target machine: engines must not share one."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features().flatten()
    return _machine()[0].create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=2, jit=True, codemodel="jitdefault"
    )


def _loaded(cluster: Cluster) -> llvm.ExecutionEngine:
    """The engine with a cluster's code."""
    key = hashlib.sha256(repr((_machine()[1], cluster)).encode()).hexdigest()
    path = cache_directory() / "kernels" / f"{key}.o"
    code = _read(path)
    if code is None:
        code = _compiled(cluster)
        _keep(path, code)
    engine = engine_of(code)
    limit = ctypes.c_int64.from_address(engine.get_global_value_address("threads"))
    limit.value = min(threads.limit(), MOST_THREADS)
    return engine


def engine_of(code: bytes) -> llvm.ExecutionEngine:
    """Load an object file; the engine knows the addresses of its names. The code stays in memory."""
    import llvmlite.binding as llvm

    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    return engine


def _compiled(cluster: Cluster) -> bytes:
    """A cluster as an object file."""
    from framework.kernels.fused.entry import module_of

    return object_of(module_of(cluster, _machine()[2]))


def object_of(written: ir.Module) -> bytes:
    """Compile a module of `llvmlite.ir` to an object file."""
    import llvmlite.binding as llvm

    _machine()
    machine = _target_machine()
    module = llvm.parse_assembly(str(written))
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=1)
    options.loop_vectorization = options.slp_vectorization = options.loop_unrolling = False
    llvm.create_pass_builder(machine, options).getModulePassManager().run(
        module, llvm.create_pass_builder(machine, options)
    )
    return bytes(machine.emit_object(module))


def _read(path: Path) -> bytes | None:
    """A kept kernel; None if there is none, or it is damaged."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    check, code = content[:4], content[4:]
    if len(check) == 4 and zlib.crc32(code) == int.from_bytes(check, "little"):
        return code
    _log.info("the kernel in %s is damaged and made anew", path)
    return None


def _keep(path: Path, code: bytes) -> None:
    """Write a kernel, whole or not at all. If it cannot be written, it is compiled again next time."""
    try:
        with replacing(path, synced=False) as file:
            file.write(zlib.crc32(code).to_bytes(4, "little") + code)
    except OSError as error:
        _log.info("the kernel in %s cannot be kept: %s", path, error)
