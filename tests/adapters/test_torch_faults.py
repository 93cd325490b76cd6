"""The debugger finds planted faults in PyTorch trainings: the step, the operator, the line; and none where none is."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-adapters` installs it")

from websockets.exceptions import ConnectionClosed  # noqa: E402

import mindinsight.torch as mi  # noqa: E402 - only where torch is
from summaries.schema import debugger_pb2 as wire  # noqa: E402
from tests.adapters.clean import CLEAN  # noqa: E402
from tests.adapters.faults import FAULTS, FAULTY, Fault, line_of  # noqa: E402
from tests.framework.debugger.playing import TOKEN, Dashboard, played  # noqa: E402


class User:
    """Pauses a training after its first step, sets watchpoints, and lets it go on at each pause.

    Args:
        dashboard: Which the training is connected with.
        watchpoints: Which it sets; None: the recommended ones.
    """

    def __init__(self, dashboard: Dashboard, watchpoints: list[wire.Watchpoint] | None) -> None:
        self._dashboard, self._watchpoints = dashboard, watchpoints
        self.problems: list[str] = []
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._act)

    def begin(self, run: Any) -> None:
        """Ask for a pause after the first step, before that begins."""
        self._dashboard.wait_for(lambda: self._dashboard.connected)
        first: dict[str, Any] = {"pause": wire.Pause()}
        if self._watchpoints and self._watchpoints[0].condition == "weight_initialization":
            first = {"set_watchpoints": wire.SetWatchpoints(watchpoints=self._watchpoints)}
        self._dashboard.send(wire.Command(id="first", **first))
        deadline = time.monotonic() + 20
        while not run._session.conversation.inbox and time.monotonic() < deadline:
            time.sleep(0.001)
        self._thread.start()

    def end(self) -> None:
        """The training has ended."""
        self._done.set()
        self._thread.join(30)
        assert not self._thread.is_alive()
        assert not self.problems

    def _act(self) -> None:
        # A pause is told of several times.
        seen = set[int]()
        while not self._done.is_set():
            paused = [state for state in self._dashboard.of(wire.State) if state.status == wire.State.PAUSED]
            if paused and paused[-1].step not in seen:
                seen.add(paused[-1].step)
                try:
                    if paused[-1].reason == "asked":
                        self._arm()
                    self._dashboard.send(wire.Command(id=f"on{len(seen)}", go_on=wire.Continue()))
                except (AssertionError, ConnectionClosed) as error:
                    self.problems.append(repr(error))
                    return
            self._done.wait(0.002)

    def _arm(self) -> None:
        # The step runs again, so that its operators are known.
        health = self._dashboard.ask(health=wire.Health())
        if not health.ok:
            self.problems.append(health.message)
        chosen = self._watchpoints
        if chosen is None:
            recommended = self._dashboard.ask(recommend=wire.Recommend()).recommended
            chosen = [one.watchpoint for one in recommended]
        reply = self._dashboard.ask(set_watchpoints=wire.SetWatchpoints(watchpoints=chosen))
        if not reply.ok:
            self.problems.append(reply.message)


@pytest.fixture
def dashboard() -> Iterator[Dashboard]:
    torch.set_num_threads(1)
    with played() as found:
        yield found


def debugged(
    train: Callable[..., None], dashboard: Dashboard, folder: Path, watchpoints: list[wire.Watchpoint] | None
) -> None:
    """Run a training with a user at the dashboard."""
    user = User(dashboard, watchpoints)

    def watch(model: Any, optimizer: Any) -> Any:
        run = mi.watch(model, optimizer, folder, url=dashboard.url, token=TOKEN)
        user.begin(run)
        return run

    try:
        train(watch)
    finally:
        user.end()
    dashboard.wait_for(lambda: dashboard.of(wire.Bye))


def watchpoint_of(fault: Fault) -> list[wire.Watchpoint] | None:
    """The watchpoint that shows a fault; None for the recommended ones."""
    if not fault.patterns and fault.step == FAULTY and not fault.verdict:
        return None
    if not fault.condition:
        return [wire.Watchpoint(id=1, condition="weight_overflow", enabled=True)]
    settings = [wire.Setting(name=name, value=value, enabled=True) for name, value in fault.settings.items()]
    targets = wire.Targets(patterns=fault.patterns)
    return [wire.Watchpoint(id=1, condition=fault.condition, settings=settings, targets=targets, enabled=True)]


def place_of(dashboard: Dashboard, line: wire.Line) -> tuple[str, int]:
    """The name of a file, and the number of the line."""
    files = dashboard.of(wire.Program)[-1].files
    return Path(files[line.file]).name, line.line


@pytest.mark.parametrize("name", [name for name, fault in FAULTS.items() if fault.condition])
def test_a_watchpoint_finds(name: str, dashboard: Dashboard, tmp_path: Path) -> None:
    fault = FAULTS[name]
    debugged(fault.train, dashboard, tmp_path, watchpoint_of(fault))
    reports = [report for report in dashboard.of(wire.Hits) if report.hits]
    assert reports, "nothing was found"
    first = reports[0]
    assert first.step == fault.step, [(hit.tensor.full_name, hit.advice) for hit in first.hits]
    hit = next((hit for hit in first.hits if hit.advice == fault.condition), None)
    assert hit is not None, [(hit.tensor.full_name, hit.advice) for hit in first.hits]
    assert hit.tensor.full_name == fault.tensor
    measured = {item.name: f"{item.actual:g}" for item in hit.measured if item.hit}
    assert measured.items() >= {(key, value) for key, value in fault.facts.items()}
    if fault.has_line:
        assert place_of(dashboard, hit.line) == ("faults.py", line_of(name))


@pytest.mark.parametrize("name", [name for name, fault in FAULTS.items() if fault.verdict])
def test_the_cause_is_found(name: str, dashboard: Dashboard, tmp_path: Path) -> None:
    fault = FAULTS[name]
    watched = [wire.Watchpoint(id=1, condition="weight_overflow", enabled=True)]
    debugged(fault.train, dashboard, tmp_path, watched)
    causes = dashboard.of(wire.Cause)
    assert causes, "no cause was searched"
    cause = causes[0]
    assert (cause.verdict, cause.step) == (fault.verdict, fault.step), cause.problem
    assert cause.producer.tensor.full_name == fault.tensor
    if not fault.condition:
        assert cause.facts.items() >= fault.facts.items()
    if fault.has_line:
        assert place_of(dashboard, cause.producer.line) == ("faults.py", line_of(name))


@pytest.mark.parametrize("name", CLEAN)
def test_nothing_is_found_in_a_clean_training(name: str, dashboard: Dashboard, tmp_path: Path) -> None:
    debugged(CLEAN[name], dashboard, tmp_path, None)
    told = dashboard.of(wire.Watching)[-1].watched
    assert {"weight_overflow", "gradient_vanishing"} <= {one.watchpoint.condition for one in told}
    idle = [one.watchpoint for one in told if not one.checks]
    assert [one.condition for one in idle] in ([], ["weight_initialization"]), idle
    assert [(one.watchpoint.condition, one.hits) for one in told if one.hits] == []
    assert [report for report in dashboard.of(wire.Hits) if report.hits] == []
    assert not dashboard.of(wire.Cause)
