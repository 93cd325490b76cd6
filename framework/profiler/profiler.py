"""`ms.Profiler` and `ms.profiler.profile`: start and stop a capture, and write the result, as in MindSpore.

Which steps are captured is a small machine: `schedule` tells for each step what happens in it, and `step` moves on.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Any, Final, Self

from framework.common.validator import check_positive_int
from framework.communication import worlds
from framework.dataset.monitor.waits import StepTimes
from framework.profiler.capture import Capture
from framework.profiler.isolated import Isolated
from framework.profiler.results import add_record, write_record, write_tables
from framework.profiler.scheduling import ProfilerAction, Schedule
from framework.profiler.sums import Profile
from framework.tracing import RECORDER
from summaries import SummaryWriter

__all__ = ["Profiler", "analyse", "profile", "tensorboard_trace_handler"]

_log = logging.getLogger("framework")
CAPTURED: Final = "captured"
ISOLATED: Final = "isolated"
_OF_DEVICES: Final = frozenset(
    {
        "activities", "aic_metrics", "aicore_metrics", "ascend_job_id", "data_process", "data_simplification",
        "env_enable", "experimental_config", "hbm_ddr", "host_stack", "host_sys", "l2_cache", "mstx", "op_time",
        "parallel_strategy", "pcie", "profile_communication", "profile_framework", "profiler_level", "record_shapes",
        "sync_enable", "timeline_limit", "with_flops",
    }
)  # fmt: skip
"""Arguments of MindSpore's profiler that choose what devices measure. The CPU measures everything without them."""


class Profiler:
    """Records what a training does, in graph mode and in PyNative mode.

    By default it captures the real program: with its fused kernels, its shared memory and its threads. Each kernel and
    operator becomes a slice of a timeline. A training that is killed leaves what was captured until a second before.
    In the mode "isolated", each operator is measured alone: nothing is fused, values do not share memory, and so the
    total is slower than the training.

    As a context manager, the profiler starts and stops itself. After the stop, everything is as fast as before.

    Args:
        output_path: the directory of all files.
        start_profile: whether to start at once.
        mode: "captured" or "isolated".
        summary_dir: the directory of a run's summaries, which then gets the timeline, and from `analyse` the sums: the
            dashboard shows them with the run.
        steps: stop after so many steps, as `Model.train`, or `step`, tells them; None for no end.
        schedule: which steps are captured (`ms.profiler.schedule`); None for all from `start` to `stop`.
        on_trace_ready: called with the profiler after each capture, such as `tensorboard_trace_handler`.
        with_stack: whether operators of PyNative mode get the user's line, which costs time.
        profile_memory: whether the memory of compiled programs is described.
        of_devices: other arguments of MindSpore's profiler, without effect on the CPU.

    Raises:
        TypeError: an argument is unknown.
        ValueError: the mode is unknown, or `steps` is not above 0.

    Attributes:
        profile: the sums of all captures.
        captures: the files of all captures.

    Example:
        >>> net = nn.Dense(4, 2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with ms.Profiler(folder, start_profile=False) as profiler:
        ...         out = net(Tensor(np.ones((3, 4), np.float32)))
        ...     print([(item.op_type, item.calls) for item in profiler.profile.operators.values()])
        [('MatMul', 1), ('BiasAdd', 1)]

    """

    def __init__(
        self,
        output_path: str | Path = "./data",
        start_profile: bool = True,
        *,
        mode: str = CAPTURED,
        summary_dir: str | Path | None = None,
        steps: int | None = None,
        schedule: Schedule | None = None,
        on_trace_ready: Callable[[Any], object] | None = None,
        with_stack: bool = False,
        profile_memory: bool = True,
        **of_devices: object,
    ) -> None:
        unknown = sorted(of_devices.keys() - _OF_DEVICES)
        if unknown:
            raise TypeError(f"Profiler() takes no argument {', '.join(unknown)}")
        if mode not in (CAPTURED, ISOLATED):
            raise ValueError(f'mode must be "{CAPTURED}" or "{ISOLATED}", not {mode!r}')
        self.output_path = Path(output_path)
        self.summary_dir = None if summary_dir is None else Path(summary_dir)
        self.profile = Profile(is_isolated=mode == ISOLATED)
        self.captures: list[Path] = []
        self._steps = None if steps is None else check_positive_int(steps, "steps")
        self._schedule, self._on_trace_ready = schedule, on_trace_ready
        self._with_stack, self._with_memory = with_stack, profile_memory
        self._metadata: dict[str, Any] = {}
        self._is_on = False
        self._measuring: Capture | Isolated | None = None
        #: The number of the step since the start, and when it began.
        self._step, self._since = 0, 0.0
        self._counted = 0
        if start_profile:
            self.start()

    def start(self) -> None:
        """Start. Earlier measurements are kept.

        Raises:
            RuntimeError: it is already started, or another profiler captures.
            OSError: the file of the capture cannot be written.
        """
        if self._is_on:
            raise RuntimeError("the profiler is started already: stop() it first")
        self._step, self._counted = 0, 0
        self._enter(self._action())
        self._is_on = True

    def step(self) -> None:
        """Say that a step has ended, in a loop of your own. `Model.train` needs no such call without a schedule.

        Raises:
            RuntimeError: it is not started.
        """
        self._must_be_on()
        now = perf_counter()
        if isinstance(self._measuring, Capture):
            times = StepTimes(self._step, 1, self._since, 0.0, 0.0, now - self._since, -1)
            RECORDER.note_step("profiler", times)
        ended = self._action()
        self._step += 1
        if not self._is_on:
            return
        following = self._action()
        goes_on = following in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        if ended is ProfilerAction.RECORD_AND_SAVE or not goes_on:
            self._finish()
        self._enter(following)
        self._since = perf_counter()

    def stop(self) -> None:
        """Stop.

        Raises:
            RuntimeError: it is not started.
            OSError: a file cannot be written.
        """
        self._must_be_on()
        self._is_on = False
        self._finish()

    def analyse(
        self,
        offline_path: str | Path | None = None,
        pretty: bool = False,
        step_list: Iterable[int] | None = None,
        mode: str = "sync",
    ) -> None:
        """Stop if it is started, and write `operators.csv`, the timelines, and the sums among the summaries, if any.

        Args:
            offline_path: a directory with captures to write the files of, also those of a killed training; None for
                the captures of this profiler.
            pretty, step_list, mode: MindSpore's; they have no effect.

        Raises:
            OSError: a file cannot be written.
        """
        if self._is_on:
            self.stop()
        if offline_path is not None:
            analyse(offline_path)
            return
        write_tables(self.profile, self.output_path)
        if self.profile.is_isolated:
            (self.output_path / "trace.json").write_text(self.profile.trace(), encoding="utf-8")
        if self.summary_dir is not None:
            with SummaryWriter(self.summary_dir, filename_suffix="_profile", environment=False) as writer:
                writer.add_profile(self.profile.message())

    @classmethod
    def offline_analyse(
        cls, path: str | Path, pretty: bool = False, step_list: Iterable[int] | None = None,
        data_simplification: bool = True,
    ) -> None:  # fmt: skip
        """Write the files of all captures below a directory.

        Args:
            path: the directory.
            pretty, step_list, data_simplification: MindSpore's; they have no effect.
        """
        analyse(path)

    def op_analyse(self, op_name: str | list[str], device_id: int | None = None) -> str:
        """The operators of some types as JSON: for each type a list of operators with their sums.

        Args:
            op_name: a type, or several.
            device_id: MindSpore's; it has no effect.
        """
        names = [op_name] if isinstance(op_name, str) else list(op_name)
        found = {
            name: [asdict(one) for one in self.profile.by_time() if one.op_type == name] for name in names
        }  # fmt: skip
        return json.dumps(found)

    def add_metadata(self, key: str, value: str) -> None:
        """Write a text at the top of the timelines that follow.

        Args:
            key: its name.
            value: the text.
        """
        self._metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """Write JSON at the top of the timelines that follow.

        Args:
            key: its name.
            value: the JSON as text.

        Raises:
            ValueError: the text is no JSON.
        """
        self._metadata[key] = json.loads(value)

    def __enter__(self) -> Self:
        if not self._is_on:
            self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._is_on:
            self.stop()

    def _must_be_on(self) -> None:
        if not self._is_on:
            raise RuntimeError("the profiler is not started: start() it, or make it with start_profile=True")

    def _action(self) -> ProfilerAction:
        return ProfilerAction.RECORD if self._schedule is None else self._schedule(self._step)

    def _enter(self, action: ProfilerAction) -> None:
        """Begin what happens in the next step."""
        if action is ProfilerAction.WARM_UP and not self.profile.is_isolated and not RECORDER.is_on:
            # Programs get their form with clock reads, and keep it.
            RECORDER.begin()
            RECORDER.end()
        if action not in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE) or self._measuring is not None:
            return
        measuring: Capture | Isolated
        if self.profile.is_isolated:
            measuring = Isolated(self.profile)
        else:
            path = self._folder / f"profile_{self._step}_{_rank()}.columns"
            measuring = Capture(path, with_lines=self._with_stack, with_memory=self._with_memory)
        measuring.start()
        self._measuring = measuring
        self._since = perf_counter()
        if self._steps is not None:
            RECORDER.on_step = self._count

    @property
    def _folder(self) -> Path:
        """Where captures are written."""
        chosen = getattr(self._on_trace_ready, "dir_name", None)
        return Path(chosen) if chosen else self.summary_dir or self.output_path

    def _count(self, noted_by: str) -> None:
        """Stop after the number of steps that was asked for."""
        if noted_by == "reader":
            return
        self._counted += 1
        if self._counted == self._steps and self._is_on:
            self.stop()

    def _finish(self) -> None:
        """End the capture, and write its timeline."""
        measuring, self._measuring = self._measuring, None
        RECORDER.on_step = None
        if measuring is None:
            return
        measuring.stop()
        if isinstance(measuring, Capture):
            self.captures.append(measuring.path)
            record = write_record(measuring.path, self._metadata, _rank())
            add_record(self.profile, record)
            if record.lost:
                _log.warning("the profiler lost %d slices, which came too fast to be kept", record.lost)
        if self._on_trace_ready is not None:
            self._on_trace_ready(self)


class profile(Profiler):  # noqa: N801 - MindSpore's name
    """MindSpore's newer name of `Profiler`, with its order of arguments.

    Args:
        activities: MindSpore's; it has no effect.
        with_stack, profile_memory: as in `Profiler`.
        data_process, parallel_strategy: MindSpore's; they have no effect.
        start_profile: as in `Profiler`.
        hbm_ddr, pcie, sync_enable: MindSpore's; they have no effect.
        schedule, on_trace_ready: as in `Profiler`. Without a handler, files are written to `./data`.
        experimental_config: MindSpore's; it has no effect.
    """

    def __init__(
        self,
        activities: object = None,
        with_stack: bool = False,
        profile_memory: bool = False,
        data_process: bool = False,
        parallel_strategy: bool = False,
        start_profile: bool = True,
        hbm_ddr: bool = False,
        pcie: bool = False,
        sync_enable: bool = True,
        schedule: Schedule | None = None,
        on_trace_ready: Callable[[Any], object] | None = None,
        experimental_config: object = None,
    ) -> None:
        super().__init__(
            start_profile=start_profile,
            schedule=schedule,
            on_trace_ready=on_trace_ready or tensorboard_trace_handler(),
            with_stack=with_stack,
            profile_memory=profile_memory,
        )


class tensorboard_trace_handler:  # noqa: N801 - MindSpore's name
    """For `on_trace_ready`: captures are written to a directory, each with its timeline, and the sums beside them.

    Args:
        dir_name: the directory; None for `./data`.
        worker_name: MindSpore's; it has no effect.
        analyse_flag: whether the sums are written; the timelines are in any case.
        async_mode: MindSpore's; it has no effect.
    """

    def __init__(
        self,
        dir_name: str | Path | None = None,
        worker_name: str | None = None,
        analyse_flag: bool = True,
        async_mode: bool = False,
    ) -> None:
        self.dir_name = Path(dir_name or "./data")
        self._writes_sums = analyse_flag

    def __call__(self, profiler: Profiler) -> None:
        """Write the sums of all captures so far.

        Args:
            profiler: the profiler.
        """
        if self._writes_sums:
            write_tables(profiler.profile, self.dir_name)


def analyse(
    profiler_path: str | Path,
    max_process_number: int | None = None,
    pretty: bool = False,
    step_list: Iterable[int] | None = None,
    data_simplification: bool = True,
    async_mode: bool = False,
) -> None:
    """Write the timelines and sums of all captures below a directory, also of those that a killed training left.

    Args:
        profiler_path: the directory.
        max_process_number, pretty, step_list, data_simplification, async_mode: MindSpore's; they have no effect.

    Raises:
        OSError: a file cannot be read or written.
        ValueError: there is no capture, or a file is none.
    """
    folder = Path(profiler_path)
    found = sorted(folder.rglob("profile_*.columns"))
    if not found:
        raise ValueError(f"there is no capture (profile_*.columns) below {folder}: give the output_path of a profiler")
    sums = Profile()
    for path in found:
        record = write_record(path)
        add_record(sums, record)
        if record.damage:
            _log.warning("%s", record.damage)
    write_tables(sums, folder)


def _rank() -> int:
    """The rank of this process."""
    world = worlds.current()
    return 0 if world is None else world.find(worlds.WORLD).rank
