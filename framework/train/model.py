"""`Model`: a network with its loss, optimizer and metrics, which it trains, evaluates and runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from framework import context, graph_mode
from framework.common.tensor import Tensor
from framework.common.validator import check_bool, check_non_negative_int, check_type
from framework.communication.data_parallel import gradient_ranks
from framework.dataset.monitor.running import queued
from framework.dataset.monitor.waits import Waits
from framework.nn.cell import Cell
from framework.nn.metrics import Loss, get_metrics
from framework.nn.optim.optimizer import Optimizer
from framework.nn.wrap.cell_wrapper import WithEvalCell, WithLossCell
from framework.train import amp
from framework.train.batches import Batch, epochs, fitting, steps_of
from framework.train.callback.base import Callback, CallbackParam, Callbacks, RunContext
from framework.train.callback.monitors import ProgressBar
from framework.train.interruption import Interruption
from framework.train.loss_scale_manager import LossScaleManager
from framework.train.ranks import begin_together
from framework.train.resuming import Place, resume

__all__ = ["Model"]

Listeners = Callback | Iterable[Callback] | None

_add_debugger: Callable[[Sequence[Callback], str | None], list[Callback]] | None = None


class Model:
    """A network with all that its training needs.

    Args:
        network: from data to outputs; without `loss_fn`, from a batch to the loss.
        loss_fn: from outputs and labels to the loss.
        optimizer: updates the parameters. Without one, `network` is a whole training step, such as
            `nn.TrainOneStepCell`.
        metrics: metrics of `eval`: names such as {"accuracy", "loss"}, or a dictionary of names and `nn.Metric`s.
        eval_network: from a batch to the inputs of the metrics; None to build it from `network` and `loss_fn`.
        eval_indexes: indices of the loss, the outputs and the labels among the outputs of `eval_network`; None to pass
            all outputs to the metrics.
        loss_scale_manager: scales the loss before differentiation; None for no scale.
        amp_level: level of mixed precision: "O0" to "O3" or "auto", see `amp.auto_mixed_precision`. At O2 the loss
            scale is dynamic by default.
        keep_batchnorm_fp32: keep normalization in float32; overrides the level.

    Raises:
        ValueError: there is a loss but no optimizer, or there are metrics but no network to evaluate.
        TypeError: an argument has the wrong type.
    """

    def __init__(
        self,
        network: Cell,
        loss_fn: Any = None,
        optimizer: Optimizer | None = None,
        metrics: Any = None,
        eval_network: Cell | None = None,
        eval_indexes: Sequence[int] | None = None,
        loss_scale_manager: LossScaleManager | None = None,
        amp_level: str = "O0",
        keep_batchnorm_fp32: bool | None = None,
    ) -> None:
        if not isinstance(network, Cell):
            raise TypeError(f"network must be a Cell, not {type(network).__name__}")
        if optimizer is not None and not isinstance(optimizer, Optimizer):
            raise TypeError(
                f"optimizer must be an nn.Optimizer, not {type(optimizer).__name__}: Model(network, loss, optimizer)"
            )
        if metrics and loss_fn is None and eval_network is None:
            raise ValueError("metrics need a loss or an evaluation network: Model(network, loss_fn, metrics=...)")
        if eval_indexes is not None and len(eval_indexes) != 3:
            raise ValueError(
                f"eval_indexes must be the three indices of loss, outputs and labels, not {eval_indexes!r}"
            )
        self._network = network
        self._loss_fn = loss_fn
        self._optimizer = optimizer
        self._metrics = get_metrics(metrics)
        self._eval_indexes = eval_indexes
        self._eval_network = eval_network
        if eval_network is None and self._metrics and loss_fn is not None:
            self._eval_network = WithEvalCell(network, loss_fn, amp_level in ("O2", "O3", "auto"))
            self._eval_indexes = (0, 1, 2)
        # Built last: scopes name a Cell by its last owner, and people look at the graph of the training.
        if optimizer is None:
            whole = network if loss_fn is None else WithLossCell(network, loss_fn)
            self._train_network = amp.auto_mixed_precision(whole, amp_level)
        else:
            self._train_network = amp.build_train_network(
                network,
                optimizer,
                loss_fn,
                amp_level,
                keep_batchnorm_fp32=keep_batchnorm_fp32,
                loss_scale_manager=loss_scale_manager,
            )

    @property
    def train_network(self) -> Cell:
        """The whole training step, from a batch to the loss."""
        return self._train_network

    @property
    def eval_network(self) -> Cell | None:
        """The evaluation network, from a batch to the inputs of the metrics; None without one."""
        return self._eval_network

    @property
    def predict_network(self) -> Cell:
        """The network."""
        return self._network

    def train(
        self,
        epoch: int,
        train_dataset: Any,
        callbacks: Listeners = None,
        dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
        resume_from: str | Path | Mapping[str, Any] | None = None,
    ) -> None:
        """Train the network.

        Args:
            epoch: number of the last epoch.
            train_dataset: a dataset, or an iterable of batches: tuples of arrays, as the network takes them.
            callbacks: callbacks of the training.
            dataset_sink_mode: prefetch batches in a thread. Callbacks are still called at every step.
            sink_size: number of steps of an epoch in sink mode; the next epoch continues in the data. -1 for the whole
                data.
            initial_epoch: number of epochs that the network has been trained for already.
            resume_from: a file of `ModelCheckpoint` to continue from, or the result of `load_checkpoint` for an
                encrypted file. Training continues with the step after the saved one. With the same data and seed
                (`ms.set_seed`) the results equal those of an uninterrupted training.

        Raises:
            ValueError: a number is out of range, or there is no data; in a data parallel training, ranks begin with
                different parameters or have different numbers of steps.
            CheckpointError: the file belongs to another training.
            KeyboardInterrupt: Ctrl-C was pressed. The current step was finished, and the callbacks have ended.
        """
        self._train(epoch, train_dataset, callbacks, dataset_sink_mode, sink_size, initial_epoch, None, resume_from)

    def fit(
        self,
        epoch: int,
        train_dataset: Any,
        valid_dataset: Any = None,
        valid_frequency: int | Sequence[int] = 1,
        callbacks: Listeners = None,
        dataset_sink_mode: bool = False,
        valid_dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
        resume_from: str | Path | Mapping[str, Any] | None = None,
    ) -> None:
        """Train the network and evaluate it in between.

        Callbacks find the results of an evaluation in `eval_results`, with `eval_` before each name.

        Args:
            epoch: number of the last epoch.
            train_dataset: data of the training.
            valid_dataset: data of the evaluations.
            valid_frequency: number of epochs between evaluations, or the epochs after which to evaluate.
            callbacks: callbacks of training and evaluation.
            dataset_sink_mode: prefetch the batches of the training.
            valid_dataset_sink_mode: prefetch the batches of the evaluations.
            sink_size: number of steps of an epoch in sink mode.
            initial_epoch: number of epochs that the network has been trained for already.
            resume_from: a file of `ModelCheckpoint` to continue from, or the result of `load_checkpoint` for it.

        Raises:
            ValueError: there is no metric, or a number is out of range.
            KeyboardInterrupt: Ctrl-C was pressed.
        """
        if valid_dataset is None:
            self.train(epoch, train_dataset, callbacks, dataset_sink_mode, sink_size, initial_epoch, resume_from)
            return
        self._must_evaluate()

        def evaluate(number: int) -> dict[str, Any] | None:
            is_due = number % valid_frequency == 0 if isinstance(valid_frequency, int) else number in valid_frequency
            if not is_due:
                return None
            # The training has entered these callbacks already, and leaves them at its end.
            results = self._eval(valid_dataset, _of_evaluations(callbacks), valid_dataset_sink_mode)
            return {f"eval_{name}": value for name, value in results.items()}

        self._train(epoch, train_dataset, callbacks, dataset_sink_mode, sink_size, initial_epoch, evaluate, resume_from)

    def _train(
        self,
        epoch: int,
        data: Any,
        callbacks: Listeners,
        sink: bool,
        sink_size: int,
        initial_epoch: int,
        evaluate: Callable[[int], dict[str, Any] | None] | None,
        resume_from: str | Path | Mapping[str, Any] | None,
    ) -> None:
        if self._loss_fn is not None and self._optimizer is None:
            raise ValueError("training with a loss needs an optimizer: Model(network, loss_fn, optimizer)")
        check_bool(sink, "dataset_sink_mode")
        _check_epochs(epoch, initial_epoch)
        _check_sink_size(sink_size)
        size = steps_of(data)
        steps = sink_size if sink and sink_size > 0 else 0
        place = Place(initial_epoch, initial_epoch * (steps or size), 0)
        if resume_from is not None:
            place = resume(self._train_network, resume_from, steps or size)
        begin_together(self._train_network, steps or size)
        listeners = Callbacks(_with_debugger(_with_bar(callbacks)), "train")
        run = CallbackParam(
            mode="train", network=self._network, train_network=self._train_network, loss_fn=self._loss_fn,
            optimizer=self._optimizer, eval_network=self._eval_network, metrics=self._metrics, train_dataset=data,
            epoch_num=epoch, batch_num=steps or size, cur_epoch_num=place.epochs, cur_step_num=place.steps,
            cur_step_in_epoch=place.steps_in_epoch, dataset_sink_mode=sink, sink_size=sink_size,
            list_callback=listeners.items, device_number=gradient_ranks(),
            parallel_mode=context.get_auto_parallel_context("parallel_mode"),
            data_waits=Waits(partial(queued, data), of_training=True),
        )  # fmt: skip
        rounds = partial(epochs, data, place.epochs, epoch, steps, sink, place.steps_in_epoch)
        self._train_epochs(rounds, listeners, RunContext(run), evaluate)

    def _train_epochs(
        self,
        rounds: Callable[[], Generator[Iterator[Batch], None, None]],
        listeners: Callbacks,
        run_context: RunContext,
        evaluate: Callable[[int], dict[str, Any] | None] | None,
    ) -> None:
        """Run epochs until the last one, an interruption, or a callback's request to stop."""
        run = run_context.original_args()
        self._train_network.set_train(True)
        with ExitStack() as stack:
            for item in listeners.items:
                stack.enter_context(item)
            interruption = stack.enter_context(Interruption())
            listeners("begin", run_context)
            try:
                for number, batches in enumerate(stack.enter_context(closing(rounds()))):
                    run.cur_step_in_epoch = run.cur_step_in_epoch if number == 0 else 0
                    self._train_epoch(batches, listeners, run_context, interruption)
                    if evaluate is not None and not run_context.get_stop_requested():
                        run.eval_results = evaluate(run.cur_epoch_num)
                        self._train_network.set_train(True)
                    listeners("epoch_end", run_context)
                    if run_context.get_stop_requested():
                        break
            except BaseException:
                run.failed = True
                raise
            finally:
                listeners("end", run_context)
        if interruption.requested:
            raise KeyboardInterrupt

    def _train_epoch(
        self, batches: Iterator[Batch], listeners: Callbacks, run_context: RunContext, interruption: Interruption
    ) -> None:
        run = run_context.original_args()
        run.cur_epoch_num += 1
        run.eval_results = None
        begun_at = run.cur_step_num
        listeners("epoch_begin", run_context)
        run.data_waits.begin(run.cur_epoch_num, run.cur_step_num)
        batches = run.data_waits.over(fitting(batches, self._train_network))
        if run.dataset_sink_mode and not listeners.in_steps:
            self._sink(batches, run_context, interruption)
        else:
            self._step(batches, listeners, run_context, interruption)
        if run_context.get_stop_requested():
            return
        if run.cur_step_num == begun_at:
            raise ValueError(
                f"epoch {run.cur_epoch_num} had no batch: the data can be read only once, or is shorter than its "
                "length; pass a list or a dataset"
            )

    def _step(
        self, batches: Iterator[Batch], listeners: Callbacks, run_context: RunContext, interruption: Interruption
    ) -> None:
        """Run the steps of an epoch with callbacks."""
        run, network = run_context.original_args(), self._train_network
        waits = run.data_waits
        for batch in batches:
            run.cur_step_num += 1
            run.cur_step_in_epoch += 1
            run.train_dataset_element = batch
            listeners("step_begin", run_context)
            began = perf_counter()
            run.net_outputs = network(*batch)
            waits.running += perf_counter() - began
            listeners("step_end", run_context)
            if interruption.requested:
                run_context.request_stop()
            if run_context.get_stop_requested():
                return

    def _sink(self, batches: Iterator[Batch], run_context: RunContext, interruption: Interruption) -> None:
        """Run the steps of an epoch without callbacks; the state of the run is updated at the end of the epoch."""
        compiled = context.is_graph_mode()
        run, cell = run_context.original_args(), self._train_network
        network = graph_mode.consecutive(cell) if compiled else cell
        steps, waits = 0, run.data_waits
        batch = outputs = None
        try:
            for batch in batches:
                steps += 1
                began = perf_counter()
                outputs = network(*batch)
                waits.running += perf_counter() - began
                if interruption.requested:
                    run_context.request_stop()
                if run_context.get_stop_requested():
                    break
        finally:
            if steps:
                run.cur_step_num += steps
                run.cur_step_in_epoch += steps
                run.train_dataset_element, run.net_outputs = batch, outputs

    def eval(self, valid_dataset: Any, callbacks: Listeners = None, dataset_sink_mode: bool = False) -> dict[str, Any]:
        """Evaluate the network.

        Args:
            valid_dataset: a dataset, or an iterable of batches.
            callbacks: callbacks of the evaluation.
            dataset_sink_mode: prefetch batches in a thread.

        Returns:
            The results of the metrics by name.

        Raises:
            ValueError: there are no metrics, no network to evaluate, or no data.
        """
        with ExitStack() as stack:
            for item in Callbacks(callbacks, "eval").items:
                stack.enter_context(item)
            return self._eval(valid_dataset, callbacks, dataset_sink_mode)

    def _eval(self, valid_dataset: Any, callbacks: Listeners, dataset_sink_mode: bool) -> dict[str, Any]:
        """Evaluate with callbacks that were entered before."""
        network = self._must_evaluate()
        listeners = Callbacks(callbacks, "eval")
        run = CallbackParam(
            mode="eval", network=self._network, eval_network=network, metrics=self._metrics,
            valid_dataset=valid_dataset, batch_num=steps_of(valid_dataset), cur_epoch_num=1, cur_step_num=0,
            cur_step_in_epoch=0, dataset_sink_mode=dataset_sink_mode, list_callback=listeners.items,
        )  # fmt: skip
        run_context = RunContext(run)
        network.set_train(False)
        for metric in self._metrics.values():
            metric.clear()
        listeners("begin", run_context)
        listeners("epoch_begin", run_context)
        with closing(epochs(valid_dataset, 0, 1, sink=dataset_sink_mode)) as rounds:
            for batches in rounds:
                for batch in fitting(batches, network):
                    run.cur_step_num += 1
                    run.cur_step_in_epoch += 1
                    listeners("step_begin", run_context)
                    run.net_outputs = network(*batch)
                    self._update_metrics(run.net_outputs)
                    listeners("step_end", run_context)
        listeners("epoch_end", run_context)
        run.eval_results = {name: metric.eval() for name, metric in self._metrics.items()}
        listeners("end", run_context)
        return dict(run.eval_results)

    def _must_evaluate(self) -> Cell:
        if not self._metrics:
            raise ValueError('there are no metrics to evaluate: Model(..., metrics={"accuracy"})')
        if self._eval_network is None:
            raise ValueError("there is no network to evaluate: give Model a loss_fn or an eval_network")
        return self._eval_network

    def _update_metrics(self, outputs: Any) -> None:
        several = outputs if isinstance(outputs, tuple | list) else (outputs,)
        for metric in self._metrics.values():
            if self._eval_indexes is None:
                metric.update(*several)
                continue
            loss, predicted, labels = (several[place] for place in self._eval_indexes)
            metric.update(loss) if isinstance(metric, Loss) else metric.update(predicted, labels)

    def predict(self, *predict_data: Any) -> Any:
        """Compute the output of the network.

        Args:
            predict_data: inputs of the network, tensors or arrays.

        Returns:
            The output.
        """
        self._network.set_train(False)
        return self._network(*(item if isinstance(item, Tensor) else Tensor(item) for item in predict_data))


def _check_epochs(epoch: int, initial_epoch: int) -> None:
    for name, value in (("epoch", epoch), ("initial_epoch", initial_epoch)):
        check_non_negative_int(value, name)
    if epoch <= initial_epoch:
        raise ValueError(
            f"epoch, the number of the last epoch, must be above initial_epoch {initial_epoch}, not {epoch}"
        )


def _check_sink_size(sink_size: int) -> None:
    check_type("sink_size", sink_size, int)
    if sink_size == 0 or sink_size < -1:
        raise ValueError(f"sink_size must be a number of steps, or -1 for all data, not {sink_size!r}")


def _with_bar(callbacks: Listeners) -> Listeners:
    """The callbacks, with a progress bar if the output is a terminal."""
    listed = [callbacks] if isinstance(callbacks, Callback) else list(callbacks or ())
    shows_bar = sys.stderr.isatty() and not any(isinstance(item, ProgressBar) for item in listed)
    return [*listed, ProgressBar()] if shows_bar else listed


def _with_debugger(callbacks: Listeners) -> Listeners:
    """The callbacks, with a `Debugger` if the context or the environment asks for one."""
    address = context.get_context("debugger") or os.environ.get("MS_DEBUGGER_URL")
    if not address or _add_debugger is None:
        return callbacks
    listed = (callbacks,) if isinstance(callbacks, Callback) else tuple(callbacks or ())
    return _add_debugger(listed, address if isinstance(address, str) else None)


def set_debugger(add: Callable[[Sequence[Callback], str | None], list[Callback]]) -> None:
    """Set the function that adds a `Debugger` to callbacks.

    Args:
        add: takes the callbacks and the address of a dashboard, None for the default address.
    """
    global _add_debugger
    _add_debugger = add


def _of_evaluations(callbacks: Listeners) -> list[Callback]:
    """The callbacks that define a method for evaluation; the others belong to the training."""
    listed = [callbacks] if isinstance(callbacks, Callback) else list(callbacks or ())
    names = [name for name in vars(Callback) if name.startswith("on_eval_")]
    return [item for item in listed if any(getattr(type(item), name) is not getattr(Callback, name) for name in names)]
