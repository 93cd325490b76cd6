"""`watch`: records a PyTorch training into a run, and attaches it to the dashboard's debugger."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import torch

from debugging.link.address import URL_VARIABLE, address_of
from debugging.session.attach import Settings, attached
from debugging.session.lease import LENGTH
from debugging.session.progress import Progress
from debugging.session.session import Result, Session
from debugging.session.termination import TrainingStoppedError
from debugging.steps.step_graph import GraphRecorder
from mindinsight.torch.hearing import listen
from mindinsight.torch.hooks import Hook
from mindinsight.torch.lines import is_own
from mindinsight.torch.private import CAN_OBSERVE, dispatch_modes, leaves, without_modes
from mindinsight.torch.statistics import Recorder
from mindinsight.torch.training import TorchTraining
from summaries.remote.address import place_of_run

__all__ = ["Run", "watch"]

_log = logging.getLogger("mindinsight.torch")

_GRAPH_STEP: Final = 2
"""The step whose graph is recorded: in the first one, optimizers make their states."""


def watch(
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer | Sequence[torch.optim.Optimizer],
    folder: str | Path,
    *,
    histograms: int = 100,
    graph: bool = True,
    budget: float = 0.03,
    debugger: bool | None = None,
    url: str | None = None,
    token: str | None = None,
    lease: float | None = LENGTH,
) -> Run:
    """Record a training as a run, and let the dashboard debug it.

    A step begins when the model is called in training with gradients, and ends when its optimizers have updated the
    weights. Calls without gradients, and of `model.eval()`, belong to no step.

    Args:
        model: the root module, which the loop calls.
        optimizer: what updates its weights; several for a step that ends with the last of them.
        folder: the run's folder, which the dashboard follows; or its address on a dashboard, such as
            `http://host:8080/lenet`.
        histograms: steps between histograms of weights and gradients; 0 for none.
        graph: record the graph of one step.
        budget: the largest part of a step's time that recording may take. Where it takes more, it records less often.
        debugger: connect with the dashboard's debugger. None: if the variable `MS_DEBUGGER_URL` or `url` is given.
        url: the dashboard's web address, as for `framework.debugger.Debugger`.
        token: the dashboard's token.
        lease: seconds that a pause lasts without a command; None: without limit.

    Returns:
        The run. Close it at the end, or use it as a context.

    Raises:
        TypeError: `model` is no module, or `optimizer` no optimizer.
        ValueError: `budget` or `histograms` is below 0, `url` is no address, or `lease` is not above 0.
    """
    given = [optimizer] if isinstance(optimizer, torch.optim.Optimizer) else list(optimizer)
    # accelerate and Lightning wrap optimizers; hooks of the inner one are called.
    wrapped = [getattr(one, "optimizer", one) for one in given]
    optimizers = [getattr(one, "optimizer", one) for one in wrapped]
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"watch: model must be a torch.nn.Module, not {type(model).__name__}")
    if not optimizers or not all(isinstance(one, torch.optim.Optimizer) for one in optimizers):
        raise TypeError("watch: optimizer must be a torch.optim.Optimizer, or several")
    if budget < 0 or histograms < 0:
        raise ValueError("watch: budget and histograms must be at least 0")
    run = Run(TorchTraining(model, optimizers), Path(folder), histograms, graph, budget)
    wanted = debugger if debugger is not None else url is not None or URL_VARIABLE in os.environ
    if wanted:
        run.attach(Settings(address_of(url, token), place_of_run(folder), lease))
    return run


class LoopProgress(Progress):
    """The progress of a loop.

    Attributes:
        ends_itself: Whether the loop belongs to a framework that ends when `Run.is_stopped` says so.
    """

    ends_itself = False

    def request_stop(self) -> bool:
        """Whether the loop ends without an error."""
        return self.ends_itself


class Run:
    """A training that is recorded; `watch` makes it.

    Args:
        training: the model and its optimizers.
        folder: the run's folder.
        histograms: steps between histograms; 0 for none.
        graph: record the graph of one step.
        budget: the largest part of a step's time that recording may take.
        clock: gives the seconds that have passed.
    """

    def __init__(
        self,
        training: TorchTraining,
        folder: Path,
        histograms: int,
        graph: bool,
        budget: float,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._training = training
        self._recorder = Recorder(training, folder, histograms, budget, clock)
        self._clock = clock
        self._graph = GraphRecorder(training) if graph else None
        self._session: Session | None = None
        self._progress: LoopProgress | None = None
        self._step: contextlib.ExitStack | None = None
        self._result = Result()
        self._steps = 0
        self._updated = 0
        #: Whether an optimizer has updated weights since a scaler's `step` began.
        self._is_updated = False
        self._began = self._clock()
        self._hooks = contextlib.ExitStack()
        #: The error that the program was handling when the step began.
        self._handled: BaseException | None = None
        self._process = os.getpid()
        self._called: list[Hook] = []
        model = training.model
        self._begin_hook = self._set(model.register_forward_pre_hook, self._on_forward, with_kwargs=True)
        self._set(model.register_forward_hook, self._on_output, always_call=True)
        for optimizer in training.optimizers:
            self._set(optimizer.register_step_pre_hook, self._on_update)
            self._ended_hook = self._set(optimizer.register_step_post_hook, self._on_updated)
        self._stop_listening = listen(self)
        self._hooks.callback(self._stop_listening)

    def _set(self, register: Callable[..., Any], call: Callable[..., None], **options: bool) -> Hook:
        hook = Hook(call, self._fail)
        self._called.append(hook)
        self._hooks.callback(register(hook, **options).remove)
        return hook

    def attach(self, settings: Settings) -> None:
        """Attach the training to the dashboard's debugger.

        Args:
            settings: how it is debugged.
        """
        weights = self._training.model.parameters()
        devices = sorted({str(weight.device).upper().partition(":")[0] for weight in weights})
        progress = self._progress = LoopProgress(self._training.array_of)
        self._session = attached(self._training, progress, settings, " ".join(devices) or "CPU")

    def begin(self, inputs: Any, no_repeat: str = "") -> None:
        """Begin a step, for a framework that does not call the root module; without effect within a step.

        Args:
            inputs: the tensors of the step's batch, in any structure.
            no_repeat: why the step cannot run again.
        """
        if self._step is None and not self._training.is_again:
            self._training.no_repeat = no_repeat
            tensors = tuple(leaf for leaf in leaves(inputs) if isinstance(leaf, torch.Tensor))
            self._training.is_called = False
            try:
                self._begin_hook(self._training.model, tensors, {})
            finally:
                self._training.is_called = True

    def end_by_itself(self) -> Run:
        """Raise nothing when the dashboard stops the training: its framework asks `is_stopped`. Returns the run."""
        if self._progress is not None:
            self._progress.ends_itself = True
        return self

    @property
    def is_stopped(self) -> bool:
        """Whether the dashboard has asked the training to stop."""
        return self._session is not None and self._session.training.control.termination.asked

    def log(self, **values: float | torch.Tensor) -> None:
        """Record numbers of the current step, such as `log(loss=loss, accuracy=0.9)`.

        Args:
            values: numbers, or tensors of one element, by their tags.
        """
        self._recorder.log(max(1, self._steps), values)

    @property
    def folder(self) -> Path:
        """The run's folder."""
        return self._recorder.folder

    def close(self, reason: str = "finished", message: str = "") -> None:
        """Finish the files, leave the debugger, and take off all hooks. Further calls do nothing.

        Args:
            reason: "finished" or "failed".
            message: why it failed.
        """
        self._hooks.close()
        if self._step is not None:
            # The last step has not updated the weights.
            self._abandon(RuntimeError("the run was closed within a step"))
        session, self._session = self._session, None
        if session is not None:
            session.end(reason, message)
        self._recorder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Close; a training that the dashboard stopped ends here without an error."""
        stopped = isinstance(error, TrainingStoppedError)
        failed = error is not None and not stopped
        self.close("failed" if failed else "finished", _described(error) if failed else "")
        return stopped

    # ---- hooks; all return None, so they change nothing

    def _on_forward(self, module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        training = self._training
        if training.is_again or not torch.is_grad_enabled() or not module.training or self._is_elsewhere(module):
            return
        if self._step is not None:
            # A checkpointed model is called again in the backward pass.
            if not training.in_backward:
                training.note_call()
            return
        self._handled = sys.exc_info()[1]
        self._updated = 0
        self._began = self._clock()
        training.gradients.clear()
        training.calls, training.scale = 0, None
        training.note_call()
        self._result = Result()
        self._step = contextlib.ExitStack()
        self._steps += 1
        if self._session is not None:
            # The frame in which PyTorch calls the hook.
            training.names = tuple(kwargs)
            inputs = (*args, *kwargs.values())
            self._result = self._step.enter_context(self._session.step(inputs, {}, sys._getframe(2)))
            if self._session.monitor.is_armed:
                self._step.enter_context(training.keeping_loss())
        if self._graph is not None and self._steps >= _GRAPH_STEP and CAN_OBSERVE and not dispatch_modes():
            self._step.enter_context(self._graph.recording(args))

    def _is_elsewhere(self, module: torch.nn.Module) -> bool:
        """Whether this is a forked process, or a copy of the model."""
        return os.getpid() != self._process or module is not self._training.model

    def _on_output(self, module: torch.nn.Module, args: tuple[Any, ...], output: Any) -> None:
        """Keep the gradients that come into the outputs, if the step may have to run again."""
        training, session = self._training, self._session
        if self._step is None or training.is_again or self._is_elsewhere(module):
            return
        error = sys.exc_info()[1]
        if output is None and error is not None and error is not self._handled and not training.in_backward:
            self._abandon(error)
            return
        training.end_model()
        if session is None or session.training.steps.before is None:
            return
        tensors = [one for one in leaves(output) if isinstance(one, torch.Tensor)]
        with without_modes():
            training.outputs = [training.copies.of(leaf) for leaf in tensors]
        for place, leaf in enumerate(tensors):
            if leaf.grad_fn is not None:
                leaf.register_hook(Hook(lambda gradient, place=place: self._keep(place, gradient), self._fail))

    def _keep(self, place: int, gradient: torch.Tensor) -> None:
        if not self._training.is_again:
            self._training.gradients[place] = gradient.detach().clone()

    def begin_backward(self, loss: torch.Tensor | None, scale: torch.Tensor | None) -> None:
        """See `mindinsight.torch.hearing.Listener`."""
        self._training.in_backward = True
        self._training.change_part()
        if not self._training.is_again and loss is not None and loss.numel() == 1:
            self._result.output, self._training.scale = loss.detach(), scale

    def end_backward(self) -> None:
        """See `mindinsight.torch.hearing.Listener`."""
        self._training.in_backward = False
        self._training.change_part()

    def begin_gradients(self) -> None:
        """See `mindinsight.torch.hearing.Listener`."""
        self._training.in_gradients += 1
        self._training.change_part()

    def end_gradients(self) -> None:
        """See `mindinsight.torch.hearing.Listener`."""
        self._training.in_gradients -= 1
        self._training.change_part()

    def _on_update(self, optimizer: torch.optim.Optimizer, args: Any, kwargs: Any) -> None:
        # An optimizer that calls the program's closure, as LBFGS, runs the whole step.
        closure = args[1] if len(args) > 1 else kwargs.get("closure")
        if self._step is not None and closure is None:
            self._training.updating = type(optimizer).__name__
            self._training.change_part()

    def _on_updated(self, optimizer: torch.optim.Optimizer, args: Any, kwargs: Any) -> None:
        training = self._training
        training.updating = ""
        self._is_updated = True
        training.change_part()
        if training.is_again or os.getpid() != self._process:
            return
        training.copies.drop(training.trained() if self._session is not None else ())
        self._updated += 1
        if self._updated < len(training.optimizers):
            return
        self._updated = 0
        step, self._step = self._step, None
        if step is None:
            self._finish_unseen()
            return
        seconds = self._clock() - self._began
        try:
            step.close()
        finally:
            self._finish(seconds)

    def begin_scaled(self, optimizer: torch.optim.Optimizer) -> None:
        """See `mindinsight.torch.hearing.Listener`."""
        self._is_updated = False

    def end_scaled(self, optimizer: torch.optim.Optimizer) -> None:
        """A step that a scaler skips is a step, too: it ends without an update."""
        training = self._training
        ours = any(getattr(optimizer, "optimizer", optimizer) is one for one in training.optimizers)
        if self._is_updated or not ours or training.is_again or sys.exc_info()[1] is not self._handled:
            return
        if self._step is not None:
            self._recorder.skipped += 1
        self._ended_hook(optimizer, (), {})

    def _finish_unseen(self) -> None:
        """Record a step whose beginning was not seen, as the model was compiled after `watch`."""
        if self._result.output is None:
            return
        now = self._clock()
        self._steps += 1
        self._finish(now - self._began)
        self._began = now

    def _finish(self, seconds: float) -> None:
        """Record the step that has ended. An error in recording ends the recording, not the training."""
        output, self._result = self._result.output, Result()
        try:
            if self._graph is not None and self._graph.is_done:
                self._recorder.add_graph(self._graph.message)
                self._graph = None
            self._recorder.record(self._steps, output, seconds)
        except Exception:
            _log.exception("Recording has failed and ends; the training continues without it.")
            self._recorder.stop()
        if self._session is None or not self._session.monitor.is_armed:
            self._training.copies.forget()

    # ---- errors

    def _abandon(self, error: BaseException) -> None:
        """Forget the step in which the model has failed: a program may go on with the next batch."""
        step, self._step = self._step, None
        self._steps -= 1
        if step is not None:
            with contextlib.suppress(BaseException):
                step.__exit__(type(error), error, error.__traceback__)
        if self._session is not None:
            self._session.training.progress.begun -= 1

    def _fail(self) -> None:
        """End recording and debugging after an error of ours, in the handler of that error."""
        _log.exception("Watching has failed and ends; the training continues without it.")
        for hook in self._called:
            hook.is_on = False
        self._stop_listening()
        error = sys.exc_info()[1] or RuntimeError()
        if self._step is not None:
            self._abandon(error)
        session, self._session = self._session, None
        with contextlib.suppress(Exception):
            if session is not None:
                session.end("detached", "the debugger failed in the training; its log says why")
        with contextlib.suppress(Exception):
            self._recorder.stop()


def _described(error: BaseException | None) -> str:
    """An error in one sentence, with the innermost line of the user's source."""
    text = f"{type(error).__name__}: {error}"
    frames = traceback.extract_tb(error.__traceback__ if error is not None else None)
    own = next((frame for frame in reversed(frames) if is_own(frame.filename)), None)
    return text if own is None else f"{text} ({Path(own.filename).name}:{own.lineno})"
