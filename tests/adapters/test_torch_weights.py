"""Weights, buffers, gradients and random numbers are bit for bit those of the training left alone."""

from __future__ import annotations

import contextlib
import logging
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
from tests.adapters.programs import PROGRAMS  # noqa: E402
from tests.framework.debugger.playing import TOKEN, Dashboard, played  # noqa: E402

nn = torch.nn


def hooks_of(model: Any, optimizers: Any) -> list[Any]:
    """All hooks of a training, in order."""
    many = optimizers if isinstance(optimizers, list) else [optimizers]
    found: list[Any] = [torch.autograd.backward, torch.amp.GradScaler.scale]
    for module in model.modules():
        found += [list(getattr(module, name).values()) for name in ("_forward_pre_hooks", "_forward_hooks")]
        found += [list(module._forward_hooks_always_called), list(module._backward_hooks.values())]
    for one in many:
        found += [list(one._optimizer_step_pre_hooks.values()), list(one._optimizer_step_post_hooks.values())]
    return found


class Watching:
    """Watches the trainings of a program, and takes all away at its end."""

    def __init__(
        self,
        folder: Path,
        options: Callable[[], dict[str, Any]] = dict,
        then: Callable[[Any], None] = lambda run: None,
    ) -> None:
        self._folder, self._options, self._then = folder, options, then
        self._before: list[tuple[Any, Any, list[Any]]] = []
        self.runs: list[Any] = []

    def __call__(self, model: Any, optimizer: Any) -> None:
        self._before.append((model, optimizer, hooks_of(model, optimizer)))
        folder = self._folder / str(len(self.runs))
        self.runs.append(mi.watch(model, optimizer, folder, histograms=2, **self._options()))
        self._then(self.runs[-1])

    def close(self) -> None:
        for run in self.runs:
            run.close()
        for model, optimizer, hooks in self._before[:1]:
            assert hooks_of(model, optimizer)[: len(hooks)] == hooks


def ends(name: str, watch: Any = None) -> list[Any]:
    """What a program ends with."""
    torch.manual_seed(3)
    try:
        return PROGRAMS[name](watch or (lambda model, optimizer: None))
    finally:
        if watch is not None:
            watch.close()


def same(first: list[Any], second: list[Any]) -> None:
    assert len(first) == len(second)
    for one, other in zip(first, second, strict=True):
        assert one.dtype == other.dtype
        assert torch.equal(torch.nan_to_num(one), torch.nan_to_num(other))


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Nothing of ours has failed."""
    torch.set_num_threads(1)
    yield
    failed = [record for record in caplog.get_records("call") if record.levelno >= logging.ERROR]
    assert not failed, [record.getMessage() for record in failed]


@pytest.mark.parametrize("name", PROGRAMS)
def test_recording(name: str, tmp_path: Path) -> None:
    same(ends(name), ends(name, Watching(tmp_path)))


@contextlib.contextmanager
def user(dashboard: Dashboard) -> Iterator[None]:
    """Looks at each pause, has the step run again, and lets the training go on."""
    done = threading.Event()

    def look() -> None:
        seen = 0
        while not done.is_set():
            states = [state for state in dashboard.of(wire.State) if state.status == wire.State.PAUSED]
            if len(states) > seen:
                seen = len(states)
                # The training may have ended meanwhile.
                with contextlib.suppress(AssertionError, ConnectionClosed):
                    dashboard.send(wire.Command(id="health", health=wire.Health()))
                    dashboard.send(wire.Command(id="on", go_on=wire.Continue()))
            done.wait(0.005)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize("action", ["armed", "paused", "stepped"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_debugging(name: str, action: str, tmp_path: Path) -> None:
    commands: dict[str, dict[str, Any]] = {
        "armed": {
            "set_watchpoints": wire.SetWatchpoints(
                watchpoints=[
                    wire.Watchpoint(id=1, condition="weight_overflow", enabled=True),
                    wire.Watchpoint(id=2, condition="weight_not_changed", enabled=True, log_only=True),
                ]
            )
        },
        "paused": {"pause": wire.Pause()},
        "stepped": {"next_node": wire.NextNode()},
    }
    dashboards: list[Dashboard] = []
    with contextlib.ExitStack() as stack:

        def connect() -> dict[str, Any]:
            dashboards.append(stack.enter_context(played()))
            stack.enter_context(user(dashboards[-1]))
            return {"url": dashboards[-1].url, "token": TOKEN}

        def command(run: Any) -> None:
            dashboard = dashboards[-1]
            dashboard.wait_for(lambda: dashboard.connected)
            dashboard.send(wire.Command(id="first", **commands[action]))
            deadline = time.monotonic() + 5
            while not run._session.conversation.inbox and time.monotonic() < deadline:
                time.sleep(0.001)

        same(ends(name), ends(name, Watching(tmp_path, connect, command)))
        for dashboard in dashboards:
            assert [reply for reply in dashboard.of(wire.Reply) if reply.id == "first"]
