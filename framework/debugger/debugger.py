"""The callback that attaches a training to the dashboard: `Model.train(..., callbacks=[Debugger()])`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from debugging.link.address import address_of
from debugging.session.attach import Settings
from debugging.session.lease import LENGTH
from debugging.session.session import Session
from framework.debugger.attach import attach_cell
from framework.train.callback.base import Callback, RunContext
from framework.train.callback.summary_collector import SummaryCollector
from summaries.remote.address import place_of_run

__all__ = ["Debugger", "with_debugger"]


class Debugger(Callback):
    """Attaches a training to the dashboard's debugger.

    The training connects to the dashboard, and tries again in the background if there is none. Until a user pauses or
    watches something, a step only checks a flag.

    Args:
        url: The dashboard's web address; by default that of the variable `MS_DEBUGGER_URL`, else port 8080 of this
            machine.
        token: The dashboard's token; by default that of `url`, of the variable `MINDINSIGHT_TOKEN`, or of this user's
            workspace if the dashboard is on this machine.
        summary_dir: The run's directory, by which the dashboard finds the run; by default that of a `SummaryCollector`
            among the callbacks.
        lease: Seconds that a pause lasts without a command; None: without limit.
        at_end: What happens when the lease ends: "continue" or "save_and_stop".
        pause_at_start: Pause before the first step.

    Raises:
        ValueError: `url` is not an address, `lease` is not above 0, or `at_end` is unknown.

    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        summary_dir: str | Path | None = None,
        lease: float | None = LENGTH,
        at_end: str = "continue",
        pause_at_start: bool = False,
    ) -> None:
        directory = None if summary_dir is None else place_of_run(summary_dir)
        self._settings = Settings(address_of(url, token), directory, lease, at_end, pause_at_start)
        self._settings.make_lease()
        self._session: Session | None = None

    def on_train_begin(self, run_context: RunContext) -> None:
        """Attach."""
        run = run_context.original_args()
        recorded = (item.summary_dir for item in run.list_callback if isinstance(item, SummaryCollector))
        self._session = attach_cell(run.train_network, self._settings, run_context, next(recorded, None))

    def on_train_end(self, run_context: RunContext) -> None:
        """Report how the training ended, and detach."""
        session, self._session = self._session, None
        if session is None:
            return
        if run_context.original_args().get("failed"):
            error = sys.exc_info()[1]
            session.end("failed", "" if error is None else f"{type(error).__name__}: {error}")
        else:
            session.end("finished")


def with_debugger(callbacks: Sequence[Callback], url: str | None) -> list[Callback]:
    """The callbacks of a training, with a `Debugger` among them.

    Args:
        callbacks: Those of the user.
        url: Of the dashboard, from the context or the environment; None: the default of `Debugger`.

    """
    there = any(isinstance(item, Debugger) for item in callbacks)
    return [*callbacks] if there else [*callbacks, Debugger(url)]
