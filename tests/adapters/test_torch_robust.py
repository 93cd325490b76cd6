"""A watched training keeps what is its own: hooks, errors, odd tensors, ends, and what its PyTorch cannot do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-adapters` installs it")

import mindinsight.torch as mi  # noqa: E402 - only where torch is
from mindinsight.torch.state import ModelTensors  # noqa: E402
from mindinsight.torch.training import TorchTraining  # noqa: E402
from summaries.reading.reader import EventFileReader  # noqa: E402
from summaries.schema import debugger_pb2 as wire  # noqa: E402
from tests.adapters.test_integrations import curves  # noqa: E402
from tests.adapters.test_torch_faults import debugged  # noqa: E402
from tests.framework.debugger.playing import TOKEN, played  # noqa: E402

nn = torch.nn
LONG = os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long"


def fit(model: Any, folder: Path | None, steps: int = 4, **options: Any) -> list[Any]:
    """Train, and return the weights."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    run = None if folder is None else mi.watch(model, optimizer, folder, histograms=2, **options)
    for step in range(steps):
        optimizer.zero_grad()
        x = torch.randn(10, 6, generator=torch.Generator().manual_seed(step))
        nn.functional.cross_entropy(model(x), torch.arange(10) % 3).backward()
        optimizer.step()
    if run is not None:
        run.close()
    return [weight.detach().clone() for weight in model.parameters()]


def network(*middle: Any) -> Any:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 8), *middle, nn.Linear(8, 3))


def same(first: list[Any], second: list[Any]) -> None:
    assert all(torch.equal(one, other) for one, other in zip(first, second, strict=True))


# ---- ends


@pytest.mark.parametrize(("how", "code"), [("exit", 7), ("interrupt", -signal.SIGINT)])
def test_a_training_that_ends_suddenly_keeps_what_was_recorded(how: str, code: int, tmp_path: Path) -> None:
    script = str(Path(__file__).parent / "leaving.py")
    ended = subprocess.run([sys.executable, script, how, str(tmp_path)], capture_output=True, text=True, timeout=120)
    assert ended.returncode == code, ended.stderr
    assert ("KeyboardInterrupt" in ended.stderr) == (how == "interrupt")
    assert [step for step, _ in curves(tmp_path)["loss"]] == [1, 2, 3, 4]


def test_an_error_of_the_program_reaches_it_and_ends_the_run_as_failed(tmp_path: Path) -> None:
    def train(url: str) -> None:
        model = network()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with mi.watch(model, optimizer, tmp_path, url=url, token=TOKEN):
            dashboard.wait_for(lambda: dashboard.connected)
            for label in (0, 1, 7):
                nn.functional.cross_entropy(model(torch.ones(1, 6)), torch.tensor([label])).backward()
                optimizer.step()

    with played() as dashboard:
        with pytest.raises(IndexError, match="Target 7 is out of bounds"):
            train(dashboard.url)
        dashboard.wait_for(lambda: dashboard.of(wire.Bye))
    bye = dashboard.of(wire.Bye)[-1]
    assert bye.reason == "failed"
    assert bye.message.startswith("IndexError: Target 7 is out of bounds.")
    assert "test_torch_robust.py:" in bye.message
    assert [step for step, _ in curves(tmp_path)["loss"]] == [1, 2]


# ---- hooks


def hooks_of(model: Any, optimizer: Any) -> list[Any]:
    """All hooks of a training and of PyTorch, in order."""
    tables = [getattr(torch.nn.modules.module, name) for name in dir(torch.nn.modules.module) if "_global_" in name]
    for module in model.modules():
        tables += [value for name, value in vars(module).items() if name.endswith("hooks")]
    tables += [value for name, value in vars(optimizer).items() if name.endswith("hooks")]
    tables += [weight._backward_hooks or {} for weight in model.parameters()]
    found = [list(table.values()) for table in tables if isinstance(table, dict)]
    return [*found, torch.autograd.backward, torch.amp.GradScaler.scale, torch.amp.GradScaler.step]


def test_hooks_of_others_run_in_their_order_and_stay(tmp_path: Path) -> None:
    called: list[str] = []

    def hook(name: str) -> Callable[..., None]:
        return lambda *arguments: called.append(name)

    def set_hooks(model: Any, optimizer: Any, name: str) -> None:
        model.register_forward_pre_hook(hook(f"{name} before"))
        model.register_forward_hook(hook(f"{name} behind"))
        model[0].register_full_backward_hook(hook(f"{name} back"))
        model[0].weight.register_hook(hook(f"{name} gradient"))
        optimizer.register_step_pre_hook(hook(f"{name} update"))
        optimizer.register_step_post_hook(hook(f"{name} updated"))

    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    set_hooks(model, optimizer, "first")
    run = mi.watch(model, optimizer, tmp_path)
    set_hooks(model, optimizer, "second")
    with_run = hooks_of(model, optimizer)
    for _ in range(3):
        called.clear()
        model(torch.ones(2, 6)).square().mean().backward()
        optimizer.step()
        assert called == [
            f"{who} {what}"
            for what in ("before", "behind", "gradient", "back", "update", "updated")
            for who in ("first", "second")
        ] or called == [
            f"{who} {what}"
            for what in ("before", "behind", "back", "gradient", "update", "updated")
            for who in ("first", "second")
        ]  # fmt: skip
        assert hooks_of(model, optimizer) == with_run
    run.close()
    bare, bare_optimizer = network(), None
    bare_optimizer = torch.optim.SGD(bare.parameters(), lr=0.1)
    set_hooks(bare, bare_optimizer, "first")
    set_hooks(bare, bare_optimizer, "second")
    assert [len(table) for table in hooks_of(model, optimizer)[:-3]] == [
        len(table) for table in hooks_of(bare, bare_optimizer)[:-3]
    ]
    assert hooks_of(model, optimizer)[-3:] == hooks_of(bare, bare_optimizer)[-3:]


def test_hooks_return_nothing_and_none_is_a_full_backward_hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **options: Any) -> None:
        raise AssertionError("a full backward hook breaks modules with operators in place")

    for owner in (nn.Module, torch.nn.modules.module):
        for name in [name for name in dir(owner) if "full_backward" in name and name.startswith("register")]:
            monkeypatch.setattr(owner, name, refuse)
    returned: list[Any] = []
    for owner, name in ((nn.Module, "register_forward_pre_hook"), (nn.Module, "register_forward_hook")):
        original = getattr(owner, name)

        def register(self: Any, hook: Any, original: Any = original, **options: Any) -> Any:
            def noted(*arguments: Any) -> Any:
                returned.append(hook(*arguments))
                return returned[-1]

            return original(self, noted, **options)

        monkeypatch.setattr(owner, name, register)
    fit(network(nn.ReLU(inplace=True)), tmp_path)
    assert returned
    assert set(returned) == {None}


# ---- odd tensors


class Odd(nn.Module):
    """Computes something odd between its layers."""

    def __init__(self, odd: Callable[[Any], Any]) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.odd, self.first, self.last = odd, nn.Linear(6, 8), nn.Linear(8, 3)

    def forward(self, x: Any) -> Any:
        return self.last(self.odd(self.first(x)))


def never_written(x: Any) -> Any:
    memory = torch.empty_like(x)
    memory.fill_(torch.nan)
    made = torch.empty_like(x)
    made.copy_(x.detach())
    return x + 0 * made


def quantized(x: Any) -> Any:
    return x + torch.quantize_per_tensor(x.detach(), 0.1, 0, torch.quint8).dequantize()


def fake(x: Any) -> Any:
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        shape = (torch.ones(8, 8) @ torch.ones(8, 3)).shape
    return x * shape[0] / 8 + torch.ones(3, device="meta").numel() - 3


def complex_numbers(x: Any) -> Any:
    return torch.fft.ifft(torch.fft.fft(x)).real + torch.view_as_real(x + 1j)[..., 0]


def no_elements(x: Any) -> Any:
    return x + x[:0].sum() + torch.zeros(0, 8).sum() + x.new_zeros(8, 0).sum(1)


def sparse(x: Any) -> Any:
    return (x.detach() > 0).float().to_sparse().to_dense() + x


def short(x: Any) -> Any:
    return x.bfloat16().half().float() + x.to(torch.float64).float()


ODD = [never_written, quantized, fake, complex_numbers, no_elements, sparse, short]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
@pytest.mark.parametrize("odd", ODD, ids=lambda odd: odd.__name__)
def test_odd_tensors_are_observed_and_change_nothing(odd: Any, tmp_path: Path) -> None:
    trained: list[list[Any]] = []
    with played() as dashboard:

        def train(watch: Any) -> None:
            model = Odd(odd)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
            with watch(model, optimizer):
                for step in range(4):
                    optimizer.zero_grad()
                    x = torch.randn(10, 6, generator=torch.Generator().manual_seed(step))
                    nn.functional.cross_entropy(model(x), torch.arange(10) % 3).backward()
                    optimizer.step()
            trained.append([weight.detach().clone() for weight in model.parameters()])

        watched = wire.Watchpoint(id=1, condition="tensor_overflow", enabled=True)
        debugged(train, dashboard, tmp_path, [watched])
        found = {hit.tensor.full_name for report in dashboard.of(wire.Hits) for hit in report.hits}
    same(trained[0], fit(Odd(odd), None))
    # What the program itself fills with NaN is one.
    assert all("fill_" in name for name in found)
    assert bool(found) == (odd is never_written)


@pytest.mark.skipif(not LONG, reason="takes some gigabytes of memory")
def test_a_tensor_of_two_gigabytes_is_observed(tmp_path: Path) -> None:
    def odd(x: Any) -> Any:
        large = torch.ones(1 << 29)
        return x * large[-1]

    same(fit(Odd(odd), None, steps=3), fit(Odd(odd), tmp_path, steps=3))


def test_data_parallel_on_the_processor(tmp_path: Path) -> None:
    same(fit(nn.DataParallel(network()), None), fit(nn.DataParallel(network()), tmp_path))
    assert [step for step, _ in curves(tmp_path)["loss"]] == [1, 2, 3, 4]


# ---- a scaler


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_step_that_a_scaler_skips_is_a_step(dtype: str, tmp_path: Path) -> None:
    def train(folder: Path | None) -> tuple[list[Any], list[float]]:
        model = network(nn.Dropout(0.3))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
        scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
        run = None if folder is None else mi.watch(model, optimizer, folder, histograms=2)
        scales = []
        for step in range(1, 7):
            scales.append(scaler.get_scale())
            optimizer.zero_grad()
            with torch.autocast("cpu", getattr(torch, dtype)):
                loss = nn.functional.cross_entropy(model(torch.ones(3, 6) * step), torch.arange(3))
            scaler.scale(loss * (torch.inf if step == 3 else 1)).backward()
            scaler.step(optimizer)
            scaler.update()
        if run is not None:
            run.close()
        return [weight.detach().clone() for weight in model.parameters()], scales

    bare, scales = train(None)
    same(bare, train(tmp_path)[0])
    found = curves(tmp_path)
    assert found["loss_scale"] == list(enumerate(scales, 1))
    assert [value for _, value in found["skipped_steps"]] == [0, 0, 1, 1, 1, 1]


# ---- compiled


def test_a_switch_to_eager_and_back_compiles_nothing_again(tmp_path: Path) -> None:
    from torch._dynamo.utils import counters

    torch.compiler.reset()
    net = network(nn.Tanh())
    model = torch.compile(net, backend="aot_eager")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    training = TorchTraining(model, [optimizer])
    run = mi.Run(training, tmp_path, 0, True, 0.03)
    graphs = []
    try:
        for mode in ("graph", "graph", "graph", "pynative", "pynative", "graph", "graph"):
            training.set_mode(mode)
            assert training.mode() == mode
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(torch.ones(10, 6)), torch.arange(10) % 3).backward()
            optimizer.step()
            graphs.append(counters["stats"]["unique_graphs"])
    finally:
        torch.compiler.set_stance("default")
        run.close()
    assert graphs[0] > 0
    assert graphs == graphs[:1] * 7
    assert [step for step, _ in curves(tmp_path)["loss"]] == list(range(1, 8))


# ---- the budget


class Costly(TorchTraining):
    """A training whose recording takes some seconds of a clock of its own."""

    now = 0.0
    cost = 0.0

    def rates(self) -> list[wire.LearningRate]:
        self.now += self.cost
        return super().rates()


@pytest.mark.parametrize(("cost", "every"), [(0.01, 1), (0.05, 2), (0.1, 4)])
def test_recording_keeps_to_its_budget(cost: float, every: int, tmp_path: Path) -> None:
    model = nn.Linear(6, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    training = Costly(model, [optimizer])
    training.cost = cost
    with mi.Run(training, tmp_path, 0, False, 0.03, clock=lambda: training.now):
        for _ in range(200):
            optimizer.zero_grad()
            loss = model(torch.ones(2, 6)).square().mean()
            # The step takes a second.
            training.now += 1
            loss.backward()
            optimizer.step()
    steps = [step for step, _ in curves(tmp_path)["loss"]]
    assert np.diff(steps[-10:]).tolist() == [every] * 9
    data = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert (b"recording stays below 3% of the time" in data) == (every > 1)
    # Once it has settled, recording takes its part at most.
    assert cost / every <= 0.03


# ---- what another PyTorch may not have

PRIVATE = [
    ("torch._C", "_current_autograd_node", "operators of the backward pass have no scopes"),
    ("torch.autograd", "_get_sequence_nr", "operators of the backward pass have no scopes"),
    ("torch.utils._python_dispatch", "_disable_current_modes", "operators are not observed"),
    ("torch.utils._python_dispatch", "_pop_mode", "operators are not observed"),
    ("torch", "_foreach_norm", "norms are computed one by one"),
]


@pytest.mark.parametrize(("module", "name", "lost"), PRIVATE, ids=[name for _, name, _ in PRIVATE])
def test_a_pytorch_without_a_private_function_loses_its_feature_only(
    module: str, name: str, lost: str, tmp_path: Path
) -> None:
    script = str(Path(__file__).parent / "without_private.py")

    def trained(*arguments: str) -> list[str]:
        command = [sys.executable, script, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=180).stdout.splitlines()

    lines = trained(module, name, str(tmp_path / "run"))
    warned = [line for line in lines if line.startswith("WARNING")]
    assert len(warned) == 1
    assert f"has no {module}.{name}: {lost}" in warned[0]
    assert not [line for line in lines if line.startswith("ERROR")]
    assert [step for step, _ in curves(tmp_path / "run")["loss"]] == [1, 2, 3, 4]
    data = b"".join(path.read_bytes() for path in (tmp_path / "run").iterdir())
    assert (b"Default/network-Sequential/0-Linear" in data) == ("not observed" not in lost)
    whole = EventFileReader(next((tmp_path / "run").glob("*events*")))
    assert whole.read() is not None


def test_the_names_of_tensors_follow_a_model_that_changes() -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.LazyLinear(2))
    known = ModelTensors(model)

    def add(name: str, tensor: Any) -> None:
        model.register_parameter(name, nn.Parameter(tensor))

    changes: list[Callable[[], Any]] = [
        lambda: None,
        lambda: model(torch.ones(5, 3)),  # gives the lazy weights their elements
        lambda: setattr(model[0], "weight", nn.Parameter(torch.ones(4, 3))),
        lambda: add("scale", torch.ones(1)),
        lambda: model.register_buffer("seen", torch.zeros(2)),
        lambda: setattr(model[2], "weight", model[0].weight),  # tied
        lambda: model.__setitem__(1, nn.Identity()),
        lambda: delattr(model, "seen"),
        lambda: model.append(model[0]),
    ]
    for change in changes:
        change()
        every = [*model.named_parameters(), *model.named_buffers()]
        expected = [(name, id(one)) for name, one in every if not isinstance(one, nn.UninitializedParameter)]
        for _ in range(2):
            assert [(name, id(one)) for name, one in known.named()] == expected
        assert [name for name, _ in known.parameters()] == [name for name, _ in model.named_parameters()]
