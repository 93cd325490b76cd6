"""Attaches the debugger to a training of `Model` or to a hand-written loop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from debugging.link.address import address_of
from debugging.session.attach import Settings, attached
from debugging.session.lease import LENGTH
from debugging.session.session import Session
from debugging.session.termination import TrainingStoppedError
from framework import context
from framework.debugger.core_training import CoreTraining, ModelProgress
from framework.nn.cell import Cell
from framework.train.callback.base import RunContext
from summaries.remote.address import place_of_run

__all__ = ["attach", "attach_cell"]


def attach_cell(
    network: Cell, settings: Settings, run_context: RunContext | None = None, recorded: str | None = None
) -> Session:
    """Attach a training; `Session.end` detaches it.

    Args:
        network: The whole training step.
        settings: How the training is debugged.
        run_context: Of the callbacks of `Model.train`; None for a hand-written loop.
        recorded: The directory in which the training is recorded.

    """
    device = str(context.get_context("device_target"))
    return attached(CoreTraining(network), ModelProgress(run_context), settings, device, recorded)


@contextmanager
def attach(
    network: Cell,
    url: str | None = None,
    token: str | None = None,
    summary_dir: str | Path | None = None,
    lease: float | None = LENGTH,
    at_end: str = "continue",
    pause_at_start: bool = False,
) -> Iterator[None]:
    """Debug a hand-written training loop from the dashboard.

    `with attach(step): for data, label in batches: step(data, label)`. When the dashboard stops the training, the loop
    ends and the program continues after the `with`.

    Args:
        network: The Cell that the loop calls once per step, such as an `nn.TrainOneStepCell`.
        url: The dashboard's web address, as in `Debugger`; so are the other arguments.
        token: The dashboard's token.
        summary_dir: The run's directory.
        lease: Seconds that a pause lasts.
        at_end: What happens when the lease ends.
        pause_at_start: Pause before the first step.

    Raises:
        TypeError: `network` is not a Cell.
        ValueError: An argument is out of its range.

    """
    if not isinstance(network, Cell):
        raise TypeError(f"the debugger is attached to the Cell that trains, not to a {type(network).__name__}")
    directory = None if summary_dir is None else place_of_run(summary_dir)
    session = attach_cell(network, Settings(address_of(url, token), directory, lease, at_end, pause_at_start))
    try:
        yield
    except TrainingStoppedError:
        pass
    except BaseException as error:
        session.end("failed", f"{type(error).__name__}: {error}")
        raise
    session.end("finished")
