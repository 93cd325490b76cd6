"""Ctrl-C in the middle of a training: it ends at a step, and leaves files, bars and the terminal in order."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.framework.train.recorded import read_run

#: Graph mode is 0, PyNative mode 1.
WAYS = pytest.mark.parametrize(("mode", "sink"), [("0", "sink"), ("1", "steps")], ids=["graph-sink", "pynative-steps"])
ROOT = Path(__file__).resolve().parents[3]
SCRIPT = textwrap.dedent(
    """
    import sys
    import framework as ms
    from framework.train import LambdaCallback, ProgressBar
    from tests.framework.train.networks import batches, model

    mode, sink, summaries = int(sys.argv[1]), sys.argv[2] == "sink", sys.argv[3]
    ms.set_context(mode=mode)

    def told(context):
        print("epoch", context.original_args().cur_epoch_num, flush=True)

    callbacks = [LambdaCallback(on_train_epoch_end=told, on_train_end=lambda context: print(
        "end", context.original_args().cur_step_num, flush=True))]
    if summaries:
        callbacks += [ms.SummaryCollector(summaries, collect_freq=1), ProgressBar()]
    model().train(1_000_000, batches(), callbacks, dataset_sink_mode=sink)
    """
)


def interrupted(*arguments: str) -> tuple[list[str], str, int]:
    """The output of a training that Ctrl-C interrupted after its second epoch, its errors and its exit status."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Where the tests run in the background, Ctrl-C is ignored, and what they start would ignore it, too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line == "epoch 2\n":
            process.send_signal(signal.SIGINT)
            break
    rest, errors = process.communicate()
    return rest.splitlines(), errors, process.returncode


def assert_quiet(errors: str) -> None:
    """One sentence, and one interruption reported by Python, neither nested nor after warnings."""
    assert errors.count("Stopping after this step; press Ctrl-C again to stop at once.\n") == 1
    assert errors.count("Traceback") == 1
    assert errors.endswith("\nKeyboardInterrupt\n")
    assert "Exception ignored" not in errors
    assert "During handling" not in errors


@WAYS
def test_a_training_without_callbacks_in_its_steps_ends_at_a_step(mode: str, sink: str) -> None:
    lines, errors, status = interrupted(mode, sink, "")
    assert_quiet(errors)
    assert status == -signal.SIGINT
    assert lines[-1].startswith("end ")
    assert int(lines[-1].split()[1]) >= 16


@WAYS
def test_what_was_collected_is_whole_and_the_bar_is_closed(mode: str, sink: str, tmp_path: Path) -> None:
    lines, errors, status = interrupted(mode, sink, str(tmp_path))
    assert_quiet(errors)
    assert status == -signal.SIGINT
    last = int(lines[-1].removeprefix("end "))
    run = read_run(tmp_path)
    assert run.steps("scalar", "loss/auto") == list(range(1, last + 1))
    assert run.notes["optimizer"] == "Momentum"
    # Read-only is how a writer marks what is finished.
    assert {path.stat().st_mode & 0o777 for path in run.files} == {0o400}
    bar = errors[: errors.index("Traceback")]
    assert bar.endswith("\n")
    assert re.search(rf"{(last - 1) % 8 + 1}/8 \[[^\r]*loss=[\d.]+\]\n$", bar)
