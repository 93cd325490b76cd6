"""Runs the dashboard and, unless a directory is given, example trainings. For `make run`.

Reads PORT and SUMMARY_DIR from the environment. Whatever ends this process (Ctrl-C, the end of make, a kill),
the dashboard and the trainings end with it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import urllib.request
from datetime import datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUN = ROOT / ".run"
STOP_SECONDS = 15
LOOK_SECONDS = 1.0
READY_SECONDS = 0.1
TOKEN = RUN / "workspace" / "token"
PR_SET_PDEATHSIG = 1
ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals that end everything. They are waited for, not handled: a handler that raises would leave locks of the
interrupted code taken, such as the lock around a child's end."""
SETTINGS = (
    ("--optimizer", "momentum", "--lr", "0.01"),
    ("--optimizer", "adam", "--lr", "0.001"),
    ("--optimizer", "sgd", "--lr", "0.05"),
)
"""Settings in which the example trainings differ."""
EPOCHS = "80"
"""So many epochs of 44 steps last about six minutes at the pace of the example."""
DAY = "86400"
"""Seconds that the paused training waits for a person."""
LOOK = """
Try first:  the curves of the three trainings on the page Scalars (they run for six minutes)
            the paused training faulty on the page Debugger: arm the watchpoints, then Continue
            the layers of the network on the page Graph
"""
# They share the machine with the dashboard; more threads than cores would block each other.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def die_with_parent() -> None:
    """Ask the kernel for SIGTERM when the parent process ends, for whatever reason."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def begin_as_child() -> None:
    """Runs in a new process before its program: end it together with this process, and unblock signals."""
    die_with_parent()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)


def start_dashboard(summaries: Path) -> subprocess.Popen[bytes]:
    """Start `mindinsight start` in the foreground of this terminal."""
    command = [str(Path(sys.executable).with_name("mindinsight")), "start", "--foreground"]
    options = ["--summary-base-dir", str(summaries), "--workspace", str(RUN / "workspace")]
    return _start([*command, *options, "--port", os.environ["PORT"]])


def start_trainings(summaries: Path) -> list[subprocess.Popen[bytes]]:
    """Start LeNet with several settings, one attached to the debugger, and one with a fault, which waits paused.

    The runs go to a new folder, so that older curves stay.
    """
    runs = summaries / datetime.now().astimezone().strftime("%Y-%m-%d_%H-%M-%S")
    address = ("--url", f"http://127.0.0.1:{os.environ['PORT']}")
    lenet = [sys.executable, str(ROOT / "examples" / "lenet.py"), "--summary-dir", str(runs), "--epochs", EPOCHS]
    faulty = [sys.executable, str(ROOT / "examples" / "debug_session.py"), "--summary-dir", str(runs / "faulty")]
    commands = [[*lenet, *settings] for settings in SETTINGS]
    commands[0] += ["--debug", *address]
    commands.append([*faulty, "--lease", DAY, *address])
    with (RUN / "training.log").open("wb") as log:
        return [_start(command, log) for command in commands]


def _start(command: list[str], log: object = None) -> subprocess.Popen[bytes]:
    # A process group of its own keeps the terminal's Ctrl-C away: only this process says when to stop.
    return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
        command,
        cwd=ROOT,
        env={**os.environ, **ONE_THREAD, "MINDINSIGHT_TOKEN": TOKEN.read_text().strip()} if log else None,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT if log else None,
        process_group=0,
        preexec_fn=begin_as_child,
    )


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ask a process to end, and kill it if it does not."""
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def wait_until_ready(dashboard: subprocess.Popen[bytes]) -> bool:
    """Wait until the dashboard answers; False if it or this program ends before. The trainings must not slow it."""
    while dashboard.poll() is None:
        if signal.sigtimedwait(ENDS, READY_SECONDS) is not None:
            return False
        address = f"http://127.0.0.1:{os.environ['PORT']}/api/status"
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=STOP_SECONDS):
            return TOKEN.exists()
    return False


def wait(dashboard: subprocess.Popen[bytes], trainings: list[subprocess.Popen[bytes]]) -> int:
    """Wait for the end of the dashboard or a signal; report a training that fails meanwhile."""
    look = LOOK if trainings else ""
    while (status := dashboard.poll()) is None:
        if signal.sigtimedwait(ENDS, LOOK_SECONDS) is not None:
            return 0
        if look:
            # After the lines of the dashboard.
            print(look, flush=True)
            look = ""
        ended = [training for training in trainings if training.poll() is not None]
        if any(training.returncode for training in ended):
            print("An example training failed: see .run/training.log.", file=sys.stderr)
        trainings = [training for training in trainings if training not in ended]
    return status


def main() -> int:
    """Run until the dashboard ends or a signal arrives; return its exit status."""
    die_with_parent()
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
    chosen = os.environ.get("SUMMARY_DIR")
    summaries = Path(chosen).expanduser().absolute() if chosen else RUN / "summaries"
    (RUN if chosen else summaries).mkdir(parents=True, exist_ok=True)
    running: list[subprocess.Popen[bytes]] = []
    try:
        running.append(start_dashboard(summaries))
        if chosen:
            return wait(running[0], [])
        if not wait_until_ready(running[0]):
            return running[0].poll() or 0
        trainings = start_trainings(summaries)
        running += trainings
        return wait(running[0], trainings)
    finally:
        for process in reversed(running):
            stop(process)


if __name__ == "__main__":
    sys.exit(main())
