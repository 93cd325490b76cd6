"""`mindinsight.torch` records and debugs a training of PyTorch, whose weights are those of the run left alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-adapters` installs it")

import mindinsight.torch as mi  # noqa: E402 - only where torch is
from summaries.reading.reader import EventFileReader  # noqa: E402
from summaries.schema import debugger_pb2 as wire  # noqa: E402
from tests.framework.debugger.playing import TOKEN, Dashboard, played  # noqa: E402

nn = torch.nn
Weights = list[np.ndarray[Any, Any]]


class Net(nn.Module):  # type: ignore[misc,name-defined]
    """A small network for pictures, with dropout and an activation in place."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.act = nn.ReLU(inplace=True)
        self.drop = nn.Dropout(0.2)
        self.fc = nn.Linear(4 * 6 * 6, 3)

    def forward(self, x: Any) -> Any:
        return self.fc(self.drop(self.act(self.conv(x)).flatten(1)))


def adamw(weights: Any) -> Any:
    return torch.optim.AdamW(weights, lr=0.01)


def train(
    steps: int = 6,
    watch: Callable[[Any, Any], Any] | None = None,
    make: Callable[[Any], Any] = adamw,
    loss_of: Callable[[Any, Any], Any] = nn.functional.cross_entropy,
    each: Callable[[int], None] = lambda step: None,
) -> Weights:
    """The weights after some steps; between them the model is evaluated."""
    torch.manual_seed(0)
    model = Net()
    optimizer = make(model.parameters())
    run = watch(model, optimizer) if watch is not None else None
    pictures = torch.randn(8, 1, 8, 8, generator=torch.Generator().manual_seed(1))
    labels = torch.arange(8) % 3
    try:
        for step in range(steps):
            each(step)
            optimizer.zero_grad()
            loss_of(model(pictures), labels).backward()
            optimizer.step()
            with torch.no_grad():
                model.eval()(pictures)
            model.train()
    finally:
        if run is not None:
            run.close()
    assert not model._forward_pre_hooks
    assert not model._forward_hooks
    assert not optimizer._optimizer_step_pre_hooks
    assert not optimizer._optimizer_step_post_hooks
    return [weight.detach().numpy().copy() for weight in model.parameters()]


def same(first: Weights, second: Weights) -> None:
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("make", [adamw, lambda weights: torch.optim.SGD(weights, lr=0.1, momentum=0.9)])
def test_recording_leaves_the_weights_alone(tmp_path: Path, make: Callable[[Any], Any]) -> None:
    same(train(make=make), train(make=make, watch=lambda m, o: mi.watch(m, o, tmp_path / "run", histograms=2)))
    events, lineage = sorted((tmp_path / "run").iterdir(), key=lambda path: path.name.endswith("_lineage"))
    assert lineage.stat().st_size > 0
    data = events.read_bytes()
    for tag in (b"loss", b"learning_rate", b"gradient_norm", b"conv.weight/gradient", b"Conv2D"):
        assert tag in data, tag


def test_the_loss_is_that_of_backward(tmp_path: Path) -> None:
    losses: list[float] = []

    def loss_of(output: Any, labels: Any) -> Any:
        loss = nn.functional.cross_entropy(output, labels)
        losses.append(float(loss.detach()))
        return loss

    train(loss_of=loss_of, watch=lambda m, o: mi.watch(m, o, tmp_path))
    (path,) = [path for path in tmp_path.iterdir() if not path.name.endswith("_lineage")]
    batch = EventFileReader(path).read()
    values = {(step, tag): value for step, tag, value in scalars(batch)}
    assert [values[step, "loss"] for step in range(1, 7)] == pytest.approx(losses, rel=1e-6)
    assert [values[step, "learning_rate"] for step in range(1, 7)] == pytest.approx([0.01] * 6)


def scalars(batch: Any) -> Iterator[tuple[int, str, float]]:
    """The scalars of a batch of the reader."""
    for number, rows in batch.scalars():
        for row in rows:
            yield int(row["step"]), batch.tags[number], float(row["value"])


@pytest.fixture
def dashboard() -> Iterator[Dashboard]:
    with played() as found:
        yield found


class Loop:
    """A training in a thread of its own that waits at a step, so that the test can be its user."""

    def __init__(self, dashboard: Dashboard, folder: Path, stops_at: int, **options: Any) -> None:
        self._weights: Weights = []
        self._error: BaseException | None = None
        self._gate = threading.Event()
        self._dashboard = dashboard
        each = options.pop("each", lambda step: None)

        def arrive(step: int) -> None:
            each(step)
            if step == stops_at:
                assert self._gate.wait(30)

        def run() -> None:
            try:
                self._weights = train(
                    watch=lambda m, o: mi.watch(m, o, folder, url=dashboard.url, token=TOKEN), each=arrive, **options
                )
            except BaseException as error:
                self._error = error

        self._thread = threading.Thread(target=run)
        self._thread.start()
        dashboard.wait_for(lambda: dashboard.of(wire.Hello) and dashboard.connected)

    def begin(self, **action: Any) -> None:
        """Send a command, and let the training go on."""
        self._dashboard.send(wire.Command(id="first", **action))
        self._gate.set()

    def end(self) -> Weights:
        """Let the training end."""
        self._dashboard.send(wire.Command(id="last", go_on=wire.Continue()))
        self._thread.join(60)
        assert not self._thread.is_alive()
        if self._error is not None:
            raise self._error
        return self._weights


def paused(dashboard: Dashboard, reason: str) -> wire.State:
    """The state of a pause for a reason."""

    def found() -> wire.State | None:
        states = [state for state in dashboard.of(wire.State) if state.status == wire.State.PAUSED]
        return next((state for state in states if state.reason == reason), None)

    state: wire.State = dashboard.wait_for(found)
    return state


def test_a_paused_training_shows_its_tensors_and_takes_another_learning_rate(
    dashboard: Dashboard, tmp_path: Path
) -> None:
    loop = Loop(dashboard, tmp_path, 3, steps=8)
    loop.begin(pause=wire.Pause())
    state = paused(dashboard, "asked")
    assert state.loss > 0
    assert [rate.value for rate in state.learning_rates] == [pytest.approx(0.01)]
    weight = dashboard.ask(view=wire.View(tensor=wire.TensorName(full_name="conv.weight")))
    assert list(weight.statistics[0].shape) == [4, 1, 3, 3]
    assert dashboard.ask(set_learning_rate=wire.SetLearningRate(name="learning_rate", value=0.02)).ok
    refused = dashboard.ask(set_mode=wire.SetMode(mode="graph"))
    assert "the model is not compiled" in refused.message
    assert dashboard.ask(step=wire.Step(steps=1)).ok
    assert paused(dashboard, "step").learning_rates[0].value == pytest.approx(0.02)
    reply = dashboard.ask(health=wire.Health())
    assert reply.ok, reply.message
    names = {item.tensor.full_name for item in reply.statistics}
    assert "Default/network-Net/conv-Conv2d/Conv2D-op0" in names
    assert any(name.startswith("Gradients/Default/network-Net/fc-Linear/Grad_Addmm/") for name in names)
    assert any(name.startswith("Optimizer/AdamW/") for name in names)
    loop.end()


def test_stepping_through_a_step_leaves_the_weights_alone(dashboard: Dashboard, tmp_path: Path) -> None:
    loop = Loop(dashboard, tmp_path, 1)
    loop.begin(pause=wire.Pause())
    paused(dashboard, "asked")
    assert dashboard.ask(next_node=wire.NextNode()).ok
    state = paused(dashboard, "node")
    assert state.node.full_name == "Default/network-Net/conv-Conv2d/Conv2D-op0"
    assert "forward" in {line.function for line in state.stack}
    assert dashboard.ask(next_line=wire.NextLine()).ok
    assert paused(dashboard, "line").within_step
    same(loop.end(), train())


def test_the_cause_of_a_number_that_is_not_finite_is_found_in_the_users_loss(
    dashboard: Dashboard, tmp_path: Path
) -> None:
    scale = [1.0]

    def loss_of(output: Any, labels: Any) -> Any:
        chosen = torch.softmax(output * scale[0], 1).gather(1, labels[:, None])
        return -torch.log(chosen).mean()

    def each(step: int) -> None:
        if step == 5:
            scale[0] = -1e5

    loop = Loop(dashboard, tmp_path, 3, steps=7, each=each, loss_of=loss_of)
    watched = wire.Watchpoint(id=1, condition="weight_overflow", enabled=True)
    loop.begin(set_watchpoints=wire.SetWatchpoints(watchpoints=[watched]))
    assert paused(dashboard, "not_finite").step == 6
    cause = dashboard.wait_for(lambda: dashboard.of(wire.Cause))[-1]
    assert (cause.step, cause.verdict, cause.producer.type) == (6, "log_of_zero", "Log")
    assert cause.producer.line.function == "loss_of"
    loop.end()


def test_no_dashboard_costs_no_step_and_raises_nothing(tmp_path: Path) -> None:
    def watch(model: Any, optimizer: Any) -> Any:
        return mi.watch(model, optimizer, tmp_path, url="http://127.0.0.1:9", token="none")

    same(train(watch=watch), train())


def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    model = Net()
    with pytest.raises(TypeError, match=r"model must be a torch\.nn\.Module, not int"):
        mi.watch(1, adamw(model.parameters()), tmp_path)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="optimizer must be"):
        mi.watch(model, [], tmp_path)
