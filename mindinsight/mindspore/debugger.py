"""`Debugger`: the callback that records a MindSpore training into a run and attaches it to the dashboard's debugger."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Final, Self

import mindspore as ms
from mindspore import nn

from debugging.link.address import address_of
from debugging.session.attach import Settings, attached
from debugging.session.lease import LENGTH
from debugging.session.progress import Progress
from debugging.session.session import Result, Session
from debugging.session.termination import TrainingStoppedError
from debugging.steps.step_graph import GraphRecorder
from mindinsight.mindspore.names import OPTIMIZERS
from mindinsight.mindspore.progress import ModelProgress
from mindinsight.mindspore.recorder import Recorder
from mindinsight.mindspore.training import MindSporeTraining
from summaries.remote.address import place_of_run

__all__ = ["Debugger"]

_log = logging.getLogger("mindinsight.mindspore")

_GRAPH_STEP: Final = 2
"""The step whose graph is recorded: the first one compiles, and makes the optimizer's state."""
_BETWEEN: Final = (str(Path(ms.__file__).parent / "train" / "callback"), __file__, contextlib.__file__)


class Debugger(ms.Callback):  # type: ignore[misc]  # not installed where this is checked
    """Records a training of MindSpore as a run, and lets the dashboard debug it.

    `model.train(1, data, callbacks=[Debugger("summaries/lenet")])`. In a loop of your own:

        with Debugger("summaries/lenet").watch(network, optimizer) as debugger:
            for image, label in data:
                with debugger.step(image, label) as step:
                    step.output = train_step(image, label)

    A missing, slow or hostile dashboard costs the training no step. Hooks are set in steps that a user looks into, in
    PyNative mode alone, and taken off at their end.

    Args:
        folder: The run's folder, which the dashboard follows.
        histograms: Steps between histograms of the weights; 0 for none.
        graph: Record the graph of the step.
        budget: The largest part of a step's time that recording may take. Where it takes more, it records less often.
        url: The dashboard's web address; by default that of the variable `MS_DEBUGGER_URL`, else port 8080 of this
            machine.
        token: The dashboard's token; by default that of `url`, of the variable `MINDINSIGHT_TOKEN`, or of this user's
            workspace if the dashboard is on this machine.
        lease: Seconds that a pause lasts without a command; None: without limit.
        at_end: What happens when the lease ends: "continue" or "save_and_stop".
        pause_at_start: Pause before the first step.

    Raises:
        ValueError: `budget` or `histograms` is below 0, `url` is not an address, `lease` is not above 0, or `at_end`
            is unknown.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        histograms: int = 100,
        graph: bool = True,
        budget: float = 0.03,
        url: str | None = None,
        token: str | None = None,
        lease: float | None = LENGTH,
        at_end: str = "continue",
        pause_at_start: bool = False,
    ) -> None:
        super().__init__()
        if budget < 0 or histograms < 0:
            raise ValueError("Debugger: budget and histograms must be at least 0")
        self._folder = Path(folder)
        self._histograms, self._budget, self._wants_graph = histograms, budget, graph
        self._settings = Settings(address_of(url, token), place_of_run(folder), lease, at_end, pause_at_start)
        self._settings.make_lease()
        self._process = os.getpid()
        self._training: MindSporeTraining | None = None
        self._recorder: Recorder | None = None
        self._graph: GraphRecorder | None = None
        self._session: Session | None = None
        self._step: contextlib.ExitStack | None = None
        self._result = Result()
        self._steps = 0
        self._batch: tuple[Any, ...] = ()
        self._began = 0.0

    # ---- the callback of `Model.train`

    def __enter__(self) -> Self:
        """Begin; `Model` enters its callbacks."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Close; a hand-written loop that the dashboard stopped ends here without an error."""
        stopped = isinstance(error, TrainingStoppedError)
        failed = error is not None and not stopped
        self.close("failed" if failed else "finished", f"{type(error).__name__}: {error}" if failed else "")
        return stopped

    def on_train_begin(self, run_context: Any) -> None:
        """Open the run, and attach."""
        run = run_context.original_args()
        optimizer = run.get("optimizer")
        with self._harmless():
            self._open(run.train_network, [] if optimizer is None else [optimizer], run, ModelProgress(run_context))

    def on_train_step_begin(self, run_context: Any) -> None:
        """Begin a step: carry out commands, and observe it if a user wants to look into it."""
        batch = run_context.original_args().get("train_dataset_element")
        self._begin(tuple(batch) if isinstance(batch, tuple | list) else (batch,), _caller(sys._getframe(1)))

    def on_train_step_end(self, run_context: Any) -> None:
        """End the step: record it, and pause if that was asked for."""
        run = run_context.original_args()
        self._result.output = run.get("net_outputs")
        self._end(int(run.cur_step_num))

    def on_train_end(self, run_context: Any) -> None:
        """Close the run."""
        self.close()

    # ---- loops written by hand

    def watch(self, network: nn.Cell, optimizer: Any = None) -> Self:
        """Open the run for a loop of your own; use what it returns as a context.

        Args:
            network: The training step, such as an `nn.TrainOneStepCell`, or the network alone.
            optimizer: What updates its weights, or several; not needed if it is inside `network`.

        Returns:
            The debugger.

        Raises:
            TypeError: `network` is no Cell, or `optimizer` no optimizer.
        """
        given = [] if optimizer is None else [optimizer] if isinstance(optimizer, OPTIMIZERS) else list(optimizer)
        if not isinstance(network, nn.Cell):
            raise TypeError(f"watch: network must be a mindspore.nn.Cell, not {type(network).__name__}")
        if not all(isinstance(one, OPTIMIZERS) for one in given):
            raise TypeError("watch: optimizer must be an optimizer of mindspore.nn or mindspore.mint, or several")
        with self._harmless():
            self._open(network, given, {}, Progress(lambda item: self._array_of(item)))
        return self

    @contextlib.contextmanager
    def step(self, *batch: Any) -> Iterator[Result]:
        """A context for a step of a loop of your own.

        Args:
            batch: The tensors of the step's batch, which the dashboard then shows as inputs.

        Returns:
            A context that gives a `Result`; set its `output` to the loss.

        Raises:
            TrainingStoppedError: The dashboard has stopped the training; `with debugger.watch(...)` ends without an
                error then.
        """
        self._begin(batch, _caller(sys._getframe(1)))
        result = self._result
        try:
            yield result
        except BaseException as error:
            self._abandon(error)
            raise
        self._result = result
        self._end(self._steps)

    def log(self, **values: Any) -> None:
        """Record numbers of the current step, such as `log(accuracy=0.9)`.

        Args:
            values: Numbers, or tensors of one element, by their tags.
        """
        if self._recorder is not None and os.getpid() == self._process:
            with self._harmless():
                self._recorder.log(max(1, self._steps), values)

    @property
    def is_stopped(self) -> bool:
        """Whether the dashboard has asked the training to stop."""
        return self._session is not None and self._session.training.control.termination.asked

    def close(self, reason: str = "finished", message: str = "") -> None:
        """Finish the files, leave the debugger, and take off all hooks. Further calls do nothing.

        Args:
            reason: "finished" or "failed".
            message: Why it failed.
        """
        if os.getpid() != self._process:
            # A fork shares neither the link nor the writer.
            return
        with self._harmless():
            if self._step is not None:
                self._abandon(RuntimeError("the run was closed within a step"))
            session, self._session = self._session, None
            recorder, self._recorder = self._recorder, None
            self._training, self._graph = None, None
            if session is not None:
                session.end(reason, message)
            if recorder is not None:
                recorder.close()

    # ---- steps

    def _open(self, network: Any, optimizers: Sequence[Any], run: Mapping[str, Any], progress: Progress) -> None:
        if self._training is not None:
            self.close()
        self._process = os.getpid()
        self._steps = 0
        training = self._training = MindSporeTraining(network, optimizers)
        self._recorder = Recorder(training, self._folder, self._histograms, self._budget, run)
        self._graph = GraphRecorder(training) if self._wants_graph else None
        self._session = attached(training, progress, self._settings, str(ms.get_context("device_target")))

    def _begin(self, batch: tuple[Any, ...], caller: FrameType) -> None:
        """A step begins. Only a stop that the dashboard has asked for is raised."""
        if self._training is None or self._step is not None or os.getpid() != self._process:
            return
        with self._harmless():
            self._result, self._batch = Result(), batch
            self._steps += 1
            self._training.copies.begin()
            if self._recorder is not None:
                self._recorder.begin(self._steps)
            step = self._step = contextlib.ExitStack()
            if self._session is not None:
                self._result = step.enter_context(self._session.step(batch, {}, caller))
            graph = self._graph
            if (
                graph is not None
                and not graph.is_done
                and self._steps >= _GRAPH_STEP
                and not self._training.hides(self._training.mode())
            ):
                step.enter_context(graph.recording(batch))
            self._began = time.perf_counter()

    def _end(self, number: int) -> None:
        training = self._training
        if training is None or self._step is None or os.getpid() != self._process:
            return
        with self._harmless():
            seconds, mode = time.perf_counter() - self._began, training.mode()
            training.copies.drop_weights()
            self._record(number, self._result.output, seconds)
            step, self._step = self._step, None
            self._result, self._batch = Result(), ()
            try:
                step.close()
            finally:
                training.copies.forget()
            self._record_graph(training, number, mode)

    def _record(self, number: int, output: Any, seconds: float) -> None:
        """Record the step that has ended. An error in recording ends the recording alone."""
        training, recorder = self._training, self._recorder
        if training is None or recorder is None:
            return
        try:
            training.note_duration(seconds)
            recorder.record(number, output, self._batch, seconds)
        except Exception:
            _log.exception("Recording has failed and ends; the training continues without it.")
            self._recorder = None
            with contextlib.suppress(Exception):
                recorder.close()

    def _record_graph(self, training: MindSporeTraining, number: int, mode: str) -> None:
        """Record the graph: what MindSpore has compiled, or what was observed of a step in PyNative mode."""
        recorder = self._recorder
        if self._graph is None or recorder is None:
            return
        if mode == "graph":
            graph = training.compiled_graph()
            if graph is None:
                recorder.add_note(
                    "There is no graph: MindSpore gives the graph of a compiled Cell alone, and this training step is "
                    "none. In PyNative mode, the graph is recorded from the calls of Cells.",
                    number,
                )
                self._graph = None
                return
        elif self._graph.is_done and self._graph.message.node:
            graph = self._graph.message
        else:
            return
        self._graph = None
        recorder.add_graph(graph)
        training.give_graph(graph)

    def _array_of(self, item: Any) -> Any:
        return None if self._training is None else self._training.array_of(item)

    # ---- errors

    def _abandon(self, error: BaseException) -> None:
        """Forget the step in which the training has failed: a program may go on with the next batch."""
        step, self._step = self._step, None
        if step is None:
            return
        self._steps -= 1
        self._result, self._batch = Result(), ()
        if self._training is not None:
            self._training.copies.forget()
        with contextlib.suppress(BaseException):
            step.__exit__(type(error), error, error.__traceback__)
        if self._session is not None:
            self._session.training.progress.begun -= 1

    @contextlib.contextmanager
    def _harmless(self) -> Iterator[None]:
        """An error of ours ends recording and debugging, and never reaches the program."""
        try:
            yield
        except TrainingStoppedError:
            raise
        except Exception as error:
            _log.exception("Watching has failed and ends; the training continues without it.")
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        session, self._session = self._session, None
        recorder, self._recorder = self._recorder, None
        training, self._training = self._training, None
        steps: list[Callable[[], None]] = [lambda: self._abandon(error)]
        if session is not None:
            ended = session
            steps.append(lambda: ended.end("detached", "the debugger failed in the training; its log says why"))
        if training is not None:
            left = training
            steps.append(lambda: left.detach(None))
        if recorder is not None:
            steps.append(recorder.close)
        for step in steps:
            with contextlib.suppress(Exception):
                step()


def _caller(frame: FrameType) -> FrameType:
    """The frame in which the step runs: the first one that belongs neither to callbacks nor to us."""
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_BETWEEN):
        frame = frame.f_back
    return frame
