"""`mindinsight run`: starts a training as several ranks, as `mpirun` does, with the options of MindSpore's `msrun`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import click

__all__ = ["run"]

_NO_MPI = "there is no mpirun: pip install 'mindinsight[parallel]', or install an MPI and put its mpirun on the PATH"
#: A rank's output goes to a file named by its number, which the launcher of MPI tells it.
_LOGGED = 'exec "$@" >"$0${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-0}}.log" 2>&1'


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("-n", "--worker_num", type=click.IntRange(min=1), default=1, show_default=True, help="Number of ranks.")
@click.option("--local_worker_num", type=click.IntRange(min=1), help="Number of ranks on this machine: all of them.")
@click.option(
    "--log_dir",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Directory for the output of each rank, worker_N.log. Default: the terminal.",
)
@click.option("--join", default="True", hidden=True, help="True: the command ends with the ranks.")
@click.option("--master_addr", hidden=True, help="Of msrun, for several machines.")
@click.option("--master_port", hidden=True, help="Of msrun; MPI needs none.")
@click.option("--node_rank", hidden=True, type=int, default=0, help="Of msrun, for several machines.")
@click.option("--cluster_time_out", hidden=True, help="Of msrun; see MS_COLLECTIVE_TIMEOUT.")
@click.option("--bind_core", hidden=True, help="Of msrun; has no effect.")
@click.argument("program", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(
    worker_num: int,
    local_worker_num: int | None,
    log_dir: Path | None,
    join: str,
    master_addr: str | None,
    master_port: str | None,
    node_rank: int,
    cluster_time_out: str | None,
    bind_core: str | None,
    program: Path,
    arguments: tuple[str, ...],
) -> None:
    """Run a training as several ranks.

    `mindinsight run -n 4 train.py --epochs 3` is `mpirun -n 4 python train.py --epochs 3`. The program calls
    `communication.init()` and gets its rank from `get_rank()`. The end of a rank by an error is the end of all.
    """
    del master_port, cluster_time_out, bind_core
    if local_worker_num not in (None, worker_num) or node_rank or master_addr not in (None, "127.0.0.1", "localhost"):
        raise click.ClickException(
            "mindinsight run starts ranks on this machine alone: leave out --local_worker_num, --node_rank and "
            "--master_addr; for several machines, use mpirun with its list of hosts"
        )
    if join.lower() != "true":
        raise click.ClickException("mindinsight run waits for its ranks: write & behind the command in place of --join")
    if not program.is_file():
        raise click.ClickException(f"there is no program {program}")
    mpirun = find_mpirun()
    if mpirun is None:
        raise click.ClickException(_NO_MPI)
    command = [sys.executable, str(program), *arguments]
    if log_dir is not None:
        log_dir.mkdir(parents=True, exist_ok=True)
        command = ["sh", "-c", _LOGGED, str(log_dir / "worker_"), *command]
    try:
        code = subprocess.call([mpirun, "-n", str(worker_num), *command], env=environment(worker_num, os.environ))
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


def find_mpirun() -> str | None:
    """The path of `mpirun`: the one beside this Python, whose library mpi4py finds first, or one on the PATH."""
    beside = str(Path(sys.executable).parent)
    return shutil.which("mpirun", path=beside) or shutil.which("mpirun")


def environment(ranks: int, present: Mapping[str, str]) -> dict[str, str]:
    """The environment of the ranks.

    The processors are divided among the ranks, unless the environment says how many threads one uses. Open MPI is
    allowed to start more ranks than there are processors, and to run as root, which other MPIs do anyway.

    Args:
        ranks: the number of ranks.
        present: the present environment, whose variables come first.
    """
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = str(max(1, allowed // ranks))
    ours = {
        "OMP_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": present.get("OMP_NUM_THREADS", threads),
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    }
    if os.geteuid() == 0:
        ours |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return {**ours, **present}
