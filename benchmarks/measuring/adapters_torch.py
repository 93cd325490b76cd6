"""What watching costs a training of PyTorch: `python adapters_torch.py CASE ROUNDS STEPS` prints JSON.

Blocks of steps of the same training, in turn: bare, watched in several ways, and in PyTorch's anomaly mode. Prints the
CPU seconds per step of each block by way; threads of the writer and of the link are included. The environment of
PyTorch runs it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch

import mindinsight.torch as mi
from summaries.schema import debugger_pb2 as wire
from tests.framework.debugger.playing import TOKEN, Dashboard, played

nn = torch.nn
Training = tuple[Any, Any, Callable[[], None]]


def lenet() -> Training:
    """LeNet-5, 32 pictures of 32 x 32, SGD."""
    model = nn.Sequential(
        nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
    )  # fmt: skip
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    return model, optimizer, _step(model, optimizer, torch.randn(32, 1, 32, 32))


class Block(nn.Module):  # type: ignore[misc]
    """Two convolutions and what is added to them."""

    def __init__(self, before: int, width: int, stride: int) -> None:
        super().__init__()
        self.path = nn.Sequential(
            nn.Conv2d(before, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
            nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width),
        )  # fmt: skip
        same = before == width and stride == 1
        self.beside = (
            nn.Identity() if same else nn.Sequential(nn.Conv2d(before, width, 1, stride), nn.BatchNorm2d(width))
        )

    def forward(self, x: Any) -> Any:
        """Pictures to pictures."""
        return torch.relu(self.path(x) + self.beside(x))


def resnet18() -> Training:
    """ResNet-18 for 32 x 32, width 32, 16 pictures, SGD."""
    widths = [(32, 32, 1), (32, 32, 1), (32, 64, 2), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2)]
    blocks = [Block(*sizes) for sizes in (*widths, (256, 256, 1))]
    model = nn.Sequential(
        nn.Conv2d(3, 32, 3, 1, 1), nn.BatchNorm2d(32), nn.ReLU(), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(256, 10),
    )  # fmt: skip
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    return model, optimizer, _step(model, optimizer, torch.randn(16, 3, 32, 32))


class Encoder(nn.Module):  # type: ignore[misc]
    """A transformer that gives one of ten classes."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(128, 4, 512, batch_first=True)
        self.layers, self.out = nn.TransformerEncoder(layer, 4), nn.Linear(128, 10)

    def forward(self, x: Any) -> Any:
        """Sequences of vectors to scores."""
        return self.out(self.layers(x).mean(1))


def transformer() -> Training:
    """A transformer of 4 layers of 128, 16 sequences of 64, AdamW."""
    model = Encoder()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    return model, optimizer, _step(model, optimizer, torch.randn(16, 64, 128))


def _step(model: Any, optimizer: Any, x: Any) -> Callable[[], None]:
    labels = torch.arange(len(x)) % 10

    def step() -> None:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), labels).backward()
        optimizer.step()

    return step


CASES = {"lenet": lenet, "resnet18": resnet18, "transformer": transformer}


@contextmanager
def bare(training: Training) -> Iterator[None]:
    """The training alone."""
    yield


@contextmanager
def anomaly(training: Training) -> Iterator[None]:
    """PyTorch's anomaly mode."""
    with torch.autograd.set_detect_anomaly(True):
        yield


@contextmanager
def defaults(training: Training) -> Iterator[None]:
    """Recorded as `watch` does by default."""
    with tempfile.TemporaryDirectory() as folder, mi.watch(*training[:2], folder):
        yield


@contextmanager
def _attached(training: Training) -> Iterator[Dashboard]:
    with played() as dashboard, _unrecorded(training, dashboard.url):
        dashboard.wait_for(lambda: dashboard.connected)
        yield dashboard


@contextmanager
def _unrecorded(training: Training, url: str) -> Iterator[None]:
    options: dict[str, Any] = {"histograms": 0, "graph": False, "url": url, "token": TOKEN}
    with tempfile.TemporaryDirectory() as folder, mi.watch(*training[:2], folder, **options) as run:
        run._recorder.stop()
        yield


@contextmanager
def idle(training: Training) -> Iterator[None]:
    """A dashboard in a process of its own listens; nothing is recorded."""
    command = [sys.executable, "-m", "tests.framework.debugger.playing", TOKEN]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).resolve().parents[2])
    try:
        assert server.stdout is not None
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}"
        with _unrecorded(training, url):
            # The link connects in its own thread.
            time.sleep(0.5)
            yield
    finally:
        server.terminate()
        server.wait()


@contextmanager
def armed(training: Training) -> Iterator[None]:
    """The recommended watchpoints, which record their hits."""
    with _attached(training) as dashboard:
        # The operators of the step are known once watchpoints have had it recorded: then more are recommended.
        for turn in ("weights", "operators"):
            dashboard.send(wire.Command(id=turn, recommend=wire.Recommend()))
            _run_until(training, dashboard, turn)
            (reply,) = [reply for reply in dashboard.of(wire.Reply) if reply.id == turn]
            watchpoints = [watched.watchpoint for watched in reply.recommended]
            for watchpoint in watchpoints:
                watchpoint.enabled = watchpoint.log_only = True
            command = wire.SetWatchpoints(watchpoints=watchpoints)
            dashboard.send(wire.Command(id=f"set {turn}", set_watchpoints=command))
            _run_until(training, dashboard, f"set {turn}")
            training[2]()
        assert {"weight_overflow", "gradient_exploding"} <= {one.condition for one in watchpoints}
        yield


@contextmanager
def observed(training: Training) -> Iterator[None]:
    """Every operator of every step is seen, and its values are kept for the step."""
    from mindinsight.torch.training import TorchTraining

    watched = TorchTraining(training[0], [training[1]])
    kept: list[Any] = []
    step = training[2]

    def observed_step() -> None:
        with watched.watching(kept.append):
            step()
        kept.clear()
        watched.copies.forget()

    _instead.append(observed_step)
    try:
        yield
    finally:
        _instead.clear()


#: The step of a way that has its own.
_instead: list[Callable[[], None]] = []


def _run_until(training: Training, dashboard: Dashboard, number: str) -> None:
    while not any(reply.id == number for reply in dashboard.of(wire.Reply)):
        training[2]()
        time.sleep(0.01)


WAYS: dict[str, Callable[[Training], AbstractContextManager[None]]] = {
    "idle": idle, "defaults": defaults, "armed": armed, "observed": observed, "anomaly": anomaly,
}  # fmt: skip


def main() -> None:
    """Train in turn, and print seconds per step by way: a list of pairs, watched and bare."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    training, rounds, steps = CASES[sys.argv[1]](), int(sys.argv[2]), int(sys.argv[3])

    def timed(way: Callable[[Training], AbstractContextManager[None]]) -> float:
        with way(training):
            step = _instead[0] if _instead else training[2]
            for _ in range(6):
                step()
            began = time.process_time()
            for _ in range(steps):
                step()
            return (time.process_time() - began) / steps

    found: dict[str, list[tuple[float, float]]] = {name: [] for name in WAYS}
    timed(bare)
    for _ in range(rounds):
        for name, way in WAYS.items():
            without = timed(bare)
            found[name].append((timed(way), without))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
