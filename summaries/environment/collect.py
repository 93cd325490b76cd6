"""Collects the environment of a run into an event. Called in the summary writer's thread.

Nothing here may end a training: what cannot be found out is left out. What holds for the process is looked up once.
"""

import os
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TypeVar

from summaries.environment import machine
from summaries.environment.packages import used_packages
from summaries.environment.redaction import clean_command_line, clean_text, clean_value
from summaries.environment.repository import Revision, find_revision
from summaries.environment.snapshot import Snapshot
from summaries.naming import host_name
from summaries.schema.summary_pb2 import Environment, Event

MOST_ARGUMENTS = 500
"""Maximum number of arguments that are recorded."""
LONGEST_TEXT = 4096
"""Longer arguments and values are cut."""

# Which variables are recorded: those that choose devices, threads, ranks or how a library computes.
_CHOSEN = """
    CUDA_VISIBLE_DEVICES NVIDIA_VISIBLE_DEVICES CUDA_DEVICE_ORDER CUDA_LAUNCH_BLOCKING CUBLAS_WORKSPACE_CONFIG
    ASCEND_VISIBLE_DEVICES ASCEND_DEVICE_ID DEVICE_ID DEVICE_NUM RANK_ID RANK_SIZE RANK_TABLE_FILE MASTER_ADDR
    MASTER_PORT RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE NODE_RANK OMP_NUM_THREADS MKL_NUM_THREADS
    OPENBLAS_NUM_THREADS NUMEXPR_NUM_THREADS PYTHONHASHSEED PYTHONOPTIMIZE PYTORCH_CUDA_ALLOC_CONF
    PYTORCH_ALLOC_CONF TF_CPP_MIN_LOG_LEVEL TF_DETERMINISTIC_OPS XLA_FLAGS XLA_PYTHON_CLIENT_MEM_FRACTION GLOG_v
    GLOG_LOG_DIR CONDA_DEFAULT_ENV VIRTUAL_ENV SLURM_JOB_ID SLURM_JOB_NAME SLURM_ARRAY_TASK_ID SLURM_PROCID
    SLURM_NTASKS SLURM_NNODES SLURM_JOB_PARTITION TZ LANG
"""
_VARIABLES = frozenset(_CHOSEN.split())
_PREFIXES = ("MS_", "NCCL_", "HCCL_", "OMPI_COMM_WORLD_")
_MOST_VARIABLES = 200

Found = TypeVar("Found")


def environment_event(snapshot: Snapshot) -> bytes:
    """Return the payload of the event with the environment of a run.

    Args:
        snapshot: taken when the file was opened.
    """
    event = Event(wall_time=snapshot.wall)
    event.environment.CopyFrom(_of_process(_script_directory(), snapshot.directory))
    environment = event.environment
    command_line = snapshot.command_line[:MOST_ARGUMENTS]
    environment.command_line.extend(map(_text, clean_command_line(map(_bounded, command_line))))
    environment.working_directory = _text(snapshot.directory)
    if snapshot.seed is not None:
        environment.seed = snapshot.seed
    for name, value in _variables(os.environ).items():
        environment.variables[name] = value
    for name, version in (_tried(used_packages) or {}).items():
        environment.packages.add(name=_text(name), version=_text(version))
    return event.SerializeToString()


@lru_cache(maxsize=8)
def _of_process(script: str, directory: str) -> Environment:
    """Return the parts that are the same for all writers of a process."""
    made = Environment(host=host_name())
    made.platform = _text(_tried(machine.system_name) or "")
    made.python = machine.python_name()
    made.cpu_count = _tried(machine.usable_cpus) or 0
    made.memory_bytes = _tried(machine.memory_bytes) or 0
    for device in _tried(machine.devices) or ():
        made.devices.add(kind=device.kind, name=_text(device.name), memory_bytes=device.memory_bytes or None)
    revision: Revision | None = _tried(lambda: find_revision((script, directory)))
    if revision is not None:
        made.source.revision, made.source.branch = _text(revision.revision), _text(clean_text(revision.branch))
        if revision.changed is not None:
            made.source.changed = revision.changed
    return made


def _tried(find: Callable[[], Found]) -> Found | None:
    try:
        return find()
    except Exception:
        return None


def _script_directory() -> str:
    """Return the directory of the program's file; empty if it has none, as in a notebook."""
    file = getattr(sys.modules.get("__main__"), "__file__", None)
    return os.path.dirname(os.path.abspath(file)) if isinstance(file, str) else ""  # noqa: PTH100, PTH120


def _variables(known: Mapping[str, str]) -> dict[str, str]:
    names = [name for name in sorted(known) if name in _VARIABLES or name.startswith(_PREFIXES)]
    return {_text(name): _text(clean_value(name, _bounded(known[name]))) for name in names[:_MOST_VARIABLES]}


def _bounded(text: str) -> str:
    """Return the part of a string that is examined: more than is kept, so that no partial secret remains."""
    return text[: 2 * LONGEST_TEXT]


def _text(text: str) -> str:
    """Return a string that protobuf accepts, truncated if it is long."""
    text = text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"
    return text.encode(errors="replace").decode()
