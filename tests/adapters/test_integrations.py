"""Loggers of other frameworks: what they record equals what the framework's own logger records, in values and steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-adapters` installs it")

from summaries.reading.reader import EventFileReader  # noqa: E402 - only where torch is
from summaries.schema import debugger_pb2 as wire  # noqa: E402
from tests.framework.debugger.playing import TOKEN, played  # noqa: E402

nn = torch.nn
Curves = dict[str, list[tuple[int, float]]]


def curves(folder: Path) -> Curves:
    """All scalars below a folder."""
    found: Curves = {}
    for path in sorted(folder.rglob("*events*")):
        if path.name.endswith("_lineage"):
            continue
        batch = EventFileReader(path).read()
        for number, rows in batch.scalars():
            found.setdefault(batch.tags[number], []).extend((int(row["step"]), float(row["value"])) for row in rows)
    return found


def equal(ours: Curves, theirs: Curves, without: tuple[str, ...] = ()) -> None:
    """Each of their curves is ours, too."""
    wanted = {tag: points for tag, points in theirs.items() if tag not in without}
    assert wanted
    for tag, points in wanted.items():
        assert [step for step, _ in ours[tag]] == [step for step, _ in points], tag
        assert dict(ours[tag]) == pytest.approx(dict(points), rel=1e-6, nan_ok=True), tag


def test_transformers(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    from mindinsight.integrations.transformers import MindInsightCallback

    config = transformers.BertConfig(
        vocab_size=50, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32, num_labels=2
    )
    words = torch.randint(0, 50, (24, 8), generator=torch.Generator().manual_seed(0))
    data = [{"input_ids": line, "labels": line[0] % 2} for line in words]

    def train(callbacks: list[Any]) -> list[Any]:
        transformers.set_seed(0)
        model = transformers.BertForSequenceClassification(config)
        arguments = transformers.TrainingArguments(
            output_dir=str(tmp_path / "out"), num_train_epochs=2, per_device_train_batch_size=4, logging_steps=2,
            gradient_accumulation_steps=2, eval_strategy="epoch", save_strategy="no", use_cpu=True,
            report_to="none", disable_tqdm=True,
        )  # fmt: skip
        trainer = transformers.Trainer(
            model=model, args=arguments, train_dataset=data, eval_dataset=data[:8], callbacks=callbacks
        )
        trainer.train()
        assert not model._forward_pre_hooks
        return [weight.detach().clone() for weight in model.parameters()]

    from torch.utils.tensorboard import SummaryWriter
    from transformers.integrations.integration_utils import TensorBoardCallback

    bare = train([TensorBoardCallback(SummaryWriter(str(tmp_path / "theirs")))])
    with played() as dashboard:
        options = {"url": dashboard.url, "token": TOKEN}
        both = [MindInsightCallback(tmp_path / "ours", **options)]
        watched = train([*both, TensorBoardCallback(SummaryWriter(str(tmp_path / "beside")))])
        assert dashboard.of(wire.Hello)
    for one, other in zip(bare, watched, strict=True):
        assert torch.equal(one, other)
    ours = curves(tmp_path / "ours")
    equal(ours, curves(tmp_path / "beside"))
    assert [step for step, _ in ours["train/loss"]] == [2, 4, 6]
    assert [step for step, _ in ours["gradient_norm"]] == [1, 2, 3, 4, 5, 6]
    assert "eval/loss" in ours


def test_lightning(tmp_path: Path) -> None:
    lightning = pytest.importorskip("lightning.pytorch")
    from lightning.pytorch.loggers import TensorBoardLogger

    from mindinsight.integrations.lightning import MindInsightDebugger, MindInsightLogger

    class Module(lightning.LightningModule):  # type: ignore[misc,name-defined]
        def __init__(self, width: int = 5) -> None:
            super().__init__()
            self.save_hyperparameters()
            self.net = nn.Sequential(nn.Linear(6, width), nn.ReLU(), nn.Dropout(0.2), nn.Linear(width, 3))

        def training_step(self, batch: Any, number: int) -> Any:
            loss = nn.functional.cross_entropy(self.net(batch[0]), batch[1])
            self.log("train_loss", loss, on_step=True, on_epoch=True)
            return loss

        def validation_step(self, batch: Any, number: int) -> None:
            self.log("val_loss", nn.functional.cross_entropy(self.net(batch[0]), batch[1]))

        def configure_optimizers(self) -> Any:
            return torch.optim.Adam(self.parameters(), lr=0.01)

    x = torch.randn(24, 6, generator=torch.Generator().manual_seed(0))
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, torch.arange(24) % 3), 6)

    def train(loggers: list[Any], callbacks: list[Any]) -> list[Any]:
        lightning.seed_everything(0)
        module = Module()
        trainer = lightning.Trainer(
            max_epochs=2, logger=loggers, callbacks=callbacks, log_every_n_steps=1, accelerator="cpu", devices=1,
            enable_progress_bar=False, enable_model_summary=False, enable_checkpointing=False,
            default_root_dir=str(tmp_path),
        )  # fmt: skip
        trainer.fit(module, loader, loader)
        return [weight.detach().clone() for weight in module.parameters()]

    theirs = TensorBoardLogger(str(tmp_path / "theirs"))
    bare = train([theirs], [])
    with played() as dashboard:
        debugger = MindInsightDebugger(tmp_path / "debugged", url=dashboard.url, token=TOKEN)
        ours = MindInsightLogger(tmp_path / "ours")
        watched = train([ours, TensorBoardLogger(str(tmp_path / "theirs"))], [debugger])
        assert dashboard.of(wire.Hello)
        assert dashboard.of(wire.Bye)[-1].reason == "finished"
    for one, other in zip(bare, watched, strict=True):
        assert torch.equal(one, other)
    assert Path(ours.log_dir) == tmp_path / "ours" / "lightning_logs" / "version_0"
    equal(curves(Path(ours.log_dir)), curves(Path(theirs.log_dir)), without=("hp_metric",))
    recorded = curves(tmp_path / "debugged")
    assert [step for step, _ in recorded["loss"]] == list(range(1, 9))
    steps = curves(Path(ours.log_dir))["train_loss_step"]
    assert [value for _, value in recorded["loss"]] == pytest.approx([value for _, value in steps])


def test_keras(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    keras = pytest.importorskip("keras")
    from mindinsight.integrations.keras import MindInsightCallback

    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(5, "relu"), keras.layers.Dense(3, "softmax")])
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    x = torch.randn(24, 6, generator=torch.Generator().manual_seed(0)).numpy()
    batches: list[float] = []
    told = keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: batches.append(logs["loss"]))
    history = model.fit(
        x, (torch.arange(24) % 3).numpy(), batch_size=6, epochs=3, validation_split=0.25,
        verbose=0, callbacks=[MindInsightCallback(tmp_path, update_freq="batch"), told],
    ).history  # fmt: skip
    found = curves(tmp_path)
    for name, values in history.items():
        assert dict(found[name]) == pytest.approx(dict(enumerate(values)), rel=1e-6), name
    assert dict(found["batch_loss"]) == pytest.approx(dict(enumerate(batches, 1)), rel=1e-6)
    assert found["learning_rate"] == [(epoch, pytest.approx(0.001)) for epoch in range(3)]
    with pytest.raises(ValueError, match="update_freq must be"):
        MindInsightCallback(tmp_path, update_freq=0)


def test_accelerate(tmp_path: Path) -> None:
    accelerate = pytest.importorskip("accelerate")
    from accelerate.tracking import TensorBoardTracker

    from mindinsight.integrations.accelerate import MindInsightTracker

    trackers = [MindInsightTracker("ours", tmp_path), TensorBoardTracker("theirs", str(tmp_path))]
    accelerator = accelerate.Accelerator(cpu=True, log_with=trackers)
    accelerator.init_trackers("example", config={"lr": 0.1, "name": "x"})
    model = nn.Linear(6, 3)
    model, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=0.1))
    x = torch.randn(9, 6, generator=torch.Generator().manual_seed(0))
    for step in range(4):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), torch.arange(9) % 3)
        accelerator.backward(loss)
        optimizer.step()
        accelerator.log({"train_loss": loss.item(), "parts": {"a": 1.0, "b": float(step)}}, step=step)
    accelerator.end_training()
    ours, theirs = curves(tmp_path / "ours"), curves(tmp_path / "theirs")
    equal(ours, {"train_loss": theirs["train_loss"]})
    assert ours["parts/b"] == [(step, float(step)) for step in range(4)]
