"""Data-parallel and compiled trainings, and failures of the adapter itself."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-adapters` installs it")

import mindinsight.torch as mi  # noqa: E402 - only where torch is
from summaries.schema import debugger_pb2 as wire  # noqa: E402
from tests.adapters.test_integrations import curves  # noqa: E402
from tests.framework.debugger.playing import TOKEN, played  # noqa: E402

nn = torch.nn
COMPILER = shutil.which("g++") or shutil.which("clang++")


def test_two_processes(tmp_path: Path) -> None:
    if not torch.distributed.is_available():
        pytest.skip("PyTorch is built without torch.distributed")
    for watched in "01":
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        script = str(Path(__file__).parent / "two_processes.py")
        commands = [[sys.executable, script, str(rank), port, str(tmp_path), watched] for rank in (0, 1)]
        processes = [subprocess.Popen(command) for command in commands]
        assert [process.wait(60) for process in processes] == [0, 0]
    for rank in (0, 1):
        bare, seen = (torch.load(tmp_path / f"weights{rank}-{watched}.pt") for watched in (False, True))
        assert all(torch.equal(one, other) for one, other in zip(bare, seen, strict=True))
        assert [step for step, _ in curves(tmp_path / f"rank{rank}")["loss"]] == [1, 2, 3, 4, 5]


def test_two_processes_are_debugged_each_by_its_user(tmp_path: Path) -> None:
    if not torch.distributed.is_available():
        pytest.skip("PyTorch is built without torch.distributed")
    script = str(Path(__file__).parent / "two_processes.py")

    def trained(watched: str, urls: list[str]) -> list[subprocess.Popen[bytes]]:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        more = [[url, TOKEN] for url in urls] or [[], []]
        commands = [[sys.executable, script, str(rank), port, str(tmp_path), watched, *more[rank]] for rank in (0, 1)]
        return [subprocess.Popen(command) for command in commands]

    assert [process.wait(120) for process in trained("0", [])] == [0, 0]
    watched = [wire.Watchpoint(id=1, condition="weight_overflow", enabled=True)]
    with played() as first, played() as second:
        processes = trained("1", [first.url, second.url])
        for dashboard in (first, second):
            # Both processes load PyTorch and find each other first, which takes long on a busy machine.
            dashboard.wait_for(lambda dashboard=dashboard: dashboard.connected, seconds=120)
            dashboard.send(wire.Command(id="first", pause=wire.Pause()))
        for dashboard in (first, second):
            dashboard.wait_state(wire.State.PAUSED)
            refused = dashboard.ask(run_again=wire.RunAgain())
            assert "other processes take part in it" in refused.message
            assert dashboard.ask(set_watchpoints=wire.SetWatchpoints(watchpoints=watched)).ok
        for dashboard in (first, second):
            dashboard.send(wire.Command(id="on", go_on=wire.Continue()))
        assert [process.wait(120) for process in processes] == [0, 0]
        for dashboard in (first, second):
            assert dashboard.of(wire.Bye)[-1].reason == "finished"
            told = dashboard.of(wire.Watching)[-1].watched
            assert [(one.steps > 0, one.hits) for one in told] == [(True, 0)]
    for rank in (0, 1):
        bare, seen = (torch.load(tmp_path / f"weights{rank}-{watched}.pt") for watched in (False, True))
        assert all(torch.equal(one, other) for one, other in zip(bare, seen, strict=True))


@pytest.mark.skipif(COMPILER is None, reason="torch.compile needs a C++ compiler")
@pytest.mark.parametrize("order", ["compiled_first", "watched_first"])
def test_compiled(order: str, tmp_path: Path) -> None:
    def train(watched: bool) -> list[Any]:
        torch.compiler.reset()
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        # "aot_eager" traces as all back ends do, and needs no compilation of C++.
        model = torch.compile(net, backend="aot_eager", fullgraph=True)
        if watched:
            run = mi.watch(model if order == "compiled_first" else net, optimizer, tmp_path, graph=False)
        x = torch.randn(9, 6, generator=torch.Generator().manual_seed(0))
        for _ in range(4):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), torch.arange(9) % 3).backward()
            optimizer.step()
        if watched:
            run.close()
        return [weight.detach().clone() for weight in net.parameters()]

    assert all(torch.equal(one, other) for one, other in zip(train(False), train(True), strict=True))
    assert [step for step, _ in curves(tmp_path)["loss"]] == [1, 2, 3, 4]


@pytest.mark.parametrize("broken", ["trained", "note_call", "rates"])
def test_an_error_of_ours_ends_watching_and_not_the_training(
    broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*arguments: Any) -> None:
        raise ZeroDivisionError("ours")

    def train(watched: bool) -> list[Any]:
        torch.manual_seed(0)
        model = nn.Linear(6, 3)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        run = mi.watch(model, optimizer, tmp_path) if watched else None
        if run is not None:
            monkeypatch.setattr(run._training, broken, fail)
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.ones(2, 6)).square().mean().backward()
            optimizer.step()
        if run is not None:
            run.close()
        assert not model._forward_pre_hooks
        return [weight.detach().clone() for weight in model.parameters()]

    assert all(torch.equal(one, other) for one, other in zip(train(False), train(True), strict=True))
    errors = [record for record in caplog.records if record.levelname == "ERROR"]
    assert len(errors) == 1
    assert "the training continues without it" in errors[0].getMessage()


def test_a_scaled_loss_is_recorded_as_it_was(tmp_path: Path) -> None:
    model = nn.Linear(6, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    losses, norms = [], []
    with mi.watch(model, optimizer, tmp_path):
        for _ in range(3):
            optimizer.zero_grad()
            loss = model(torch.ones(2, 6)).square().mean()
            losses.append(float(loss.detach()))
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            norms.append(float(torch.cat([weight.grad.flatten() for weight in model.parameters()]).norm()))
            scaler.update()
    found = curves(tmp_path)
    assert [value for _, value in found["loss"]] == pytest.approx(losses)
    assert [value for _, value in found["gradient_norm"]] == pytest.approx(norms)
    assert torch.autograd.backward.__module__ == "torch.autograd"
