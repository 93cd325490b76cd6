"""The dashboard stops and repeats trainings of frameworks, whose loops are not the user's."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; `make test-adapters` installs it")
transformers = pytest.importorskip("transformers")

from mindinsight.integrations.transformers import MindInsightCallback  # noqa: E402 - only where these are
from summaries.schema import debugger_pb2 as wire  # noqa: E402
from tests.framework.debugger.playing import TOKEN, played  # noqa: E402


class Waiting(transformers.TrainerCallback):  # type: ignore[misc,name-defined]
    """Lets the test send a command before the second step, and counts the steps."""

    def __init__(self) -> None:
        self.gate, self.steps, self.has_ended = threading.Event(), 0, False

    def on_step_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        self.steps += 1
        if self.steps == 1:
            assert self.gate.wait(30)

    def on_train_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        self.has_ended = True


def test_a_step_of_the_trainer_runs_again_and_the_training_is_stopped(tmp_path: Path) -> None:
    config = transformers.BertConfig(
        vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, num_labels=2
    )
    words = torch.randint(0, 50, (24, 8), generator=torch.Generator().manual_seed(0))
    data = [{"input_ids": line, "labels": line[0] % 2} for line in words]
    waiting, errors = Waiting(), []
    with played() as dashboard:

        def train() -> None:
            try:
                arguments = transformers.TrainingArguments(
                    output_dir=str(tmp_path / "out"), max_steps=20, per_device_train_batch_size=4, use_cpu=True,
                    save_strategy="no", report_to="none", disable_tqdm=True,
                )  # fmt: skip
                ours = MindInsightCallback(tmp_path / "run", url=dashboard.url, token=TOKEN)
                transformers.Trainer(
                    model=transformers.BertForSequenceClassification(config),
                    args=arguments,
                    train_dataset=data,
                    callbacks=[ours, waiting],
                ).train()
            except BaseException as error:
                errors.append(error)

        thread = threading.Thread(target=train)
        thread.start()
        dashboard.wait_for(lambda: dashboard.connected)
        dashboard.send(wire.Command(id="first", pause=wire.Pause()))
        waiting.gate.set()
        dashboard.wait_for(lambda: [state for state in dashboard.of(wire.State) if state.status == wire.State.PAUSED])
        reply = dashboard.ask(health=wire.Health())
        assert reply.ok, reply.message
        names = {item.tensor.full_name for item in reply.statistics}
        assert any("/bert-BertModel/" in name and name.startswith("Gradients/") for name in names)
        assert dashboard.ask(stop=wire.Stop()).ok
        thread.join(30)
        assert not thread.is_alive()
        assert not errors
        assert dashboard.of(wire.Bye)[-1].reason == "stopped"
    assert waiting.has_ended
    assert waiting.steps < 20
