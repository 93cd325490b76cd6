"""`SummaryWriter`: what a training calls to record values.

Its methods check their arguments, copy arrays and queue them. The writer's own thread encodes and writes. Files have
MindSpore's format and can be read while they grow.
"""

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

from summaries.checks import as_scalar, check_step, check_tag
from summaries.naming import default_directory
from summaries.remote import open_if_remote
from summaries.text import check_text, fill_text
from summaries.writing.graph import take_graph
from summaries.writing.items import Item, ValueEncoder
from summaries.writing.run_files import RunFiles, RunWriter
from summaries.writing.scalar_events import Values
from summaries.writing.series_steps import SeriesSteps
from summaries.writing.tensorboard_calls import INSTEAD, unsupported, warn_once

if TYPE_CHECKING:
    from summaries.schema.lineage_pb2 import LineageEvent
    from summaries.schema.summary_pb2 import Profile
    from summaries.writing.arrays import ArrayQueue, Taken

_LOWEST_STEP, _HIGHEST_STEP = -(1 << 63), (1 << 63) - 1


class SummaryWriter(RunWriter):
    """Writes a new event file in `log_dir`, which a dashboard can follow at once.

    Use it as a context manager, or call `close` at the end. A writer that is still open when Python exits is closed
    then. A forked process writes its own file in the same directory. Calls and arguments are those of
    `torch.utils.tensorboard` and tensorboardX; `step` and `wall_time` are aliases of `global_step` and `walltime`.

    If the file cannot be written (on a full disk, for instance), the writer logs one warning and training continues.
    The queued values are written as soon as that is possible again.

    Args:
        log_dir: directory of the run, created if missing. Default: `runs/TIME_HOST` followed by `comment`. An address
            such as `http://host:8080/lenet` writes the run `lenet` of the dashboard there; the files are kept on this
            machine until it has them (`summaries/remote`).
        comment: end of the default directory's name.
        purge_step: the step at which training resumes. Values of this and later steps in earlier files of the run
            are marked as superseded.
        max_queue: maximum number of queued calls; further calls wait for the writer's thread.
        flush_secs: maximum time in seconds until a value is in the file.
        filename_suffix: end of the file name.
        logdir: alias of `log_dir`.
        fsync: whether to call fsync after each write, so that a power failure loses nothing.
        flush_on_sigterm: whether to write queued values when SIGTERM ends the process. The writer installs a signal
            handler while it is open, if it runs in the main thread and there is no other handler. The process then
            ends as usual, once a running call of native code has returned.
        filename_prefix: start of the file names.
        max_file_size: maximum size of a file in bytes; a warning is logged when values are dropped.
        lazy: whether to open the event file with the first value instead of at once.
        environment: whether to record the environment: command line, revision of the source, versions of packages,
            machine, selected variables and seed, without anything that looks like a secret.
            `MINDINSIGHT_RECORD_ENVIRONMENT=0` turns this off for all writers. Files with a `max_file_size` below
            1 MiB never have it.

    Raises:
        OSError: the directory or the file cannot be created.
        ValueError: an argument is out of range.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 65_536,
        flush_secs: float = 2.0,
        filename_suffix: str = "_MS",
        *,
        logdir: str | os.PathLike[str] | None = None,
        fsync: bool = False,
        flush_on_sigterm: bool = True,
        filename_prefix: str = "events",
        max_file_size: int | None = None,
        lazy: bool = False,
        environment: bool = True,
    ) -> None:
        if not 0 < flush_secs < threading.TIMEOUT_MAX or max_queue < 1:
            raise ValueError(f"flush_secs={flush_secs} and max_queue={max_queue} must be greater than zero.")
        if log_dir is not None and logdir is not None:
            raise ValueError(f"log_dir={log_dir!r} and logdir={logdir!r} are the same argument; give one of them.")
        directory = logdir if log_dir is None else log_dir
        remote = None if directory is None else open_if_remote(directory)
        if remote is not None:
            directory = remote.directory
        try:
            files = RunFiles(
                default_directory(comment) if directory is None else Path(directory),
                suffix=filename_suffix,
                fsync=fsync,
                flush_secs=flush_secs,
                max_queue=max_queue,
                from_step=None if purge_step is None else check_step("purge_step", purge_step),
                sigterm=flush_on_sigterm,
                prefix=filename_prefix,
                max_bytes=max_file_size,
                lazy=lazy,
                environment=environment,
                remote=remote,
            )
        except BaseException:
            if remote is not None:
                remote.close()
            raise
        super().__init__(files)
        self._series = SeriesSteps()
        self._tags = self._series.checked
        # Set by the first array: importing numpy is slow, and even a repeated import statement takes 40 µs in a
        # training whose caches hold other things.
        self._arrays: ArrayQueue | None = None
        self._histograms: Any = None

    def __getattr__(self, name: str) -> Callable[..., None]:
        """Return a function that warns once, for a method of other writers that this one lacks."""
        if name in INSTEAD:
            return unsupported(name)
        raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")

    def add_scalar(
        self,
        tag: str,
        value: object = None,
        global_step: SupportsIndex | None = None,
        walltime: float | None = None,
        *,
        scalar_value: object = None,
        step: SupportsIndex | None = None,
        wall_time: float | None = None,
    ) -> None:
        """Record one value of the series `tag`, as a 32-bit float. NaN and infinity are kept.

        Args:
            tag: name of the series; `/` groups names, as in `loss/train`.
            value: a number, or an array or tensor of one element.
            global_step: training step. By default, the values of a tag are numbered from 0.
            walltime: seconds since 1970. Default: now.
            scalar_value: alias of `value`.
            step, wall_time: aliases of `global_step` and `walltime`.

        Raises:
            TypeError: a value, tag or step has the wrong type.
            ValueError: a tag or step is out of range, or the writer is closed.
        """
        # The hottest method: common cases are checked inline, since each function call costs a tenth of its time.
        if type(tag) is not str or tag not in self._tags:
            self._series.check(tag)
        if type(value) is not float:
            value = as_scalar(tag, scalar_value if value is None else value)
        number = step if global_step is None else global_step
        if type(number) is not int or not _LOWEST_STEP <= number <= _HIGHEST_STEP:
            number = self._series.number(tag, number, None)
        wall = wall_time if walltime is None else walltime
        self._files.put(number, time() if wall is None else float(wall), ((tag, value),))

    @overload
    def add_scalars(
        self,
        main_tag: str,
        values: Mapping[str, object] | None = None,
        global_step: SupportsIndex | None = None,
        walltime: float | None = None,
        *,
        tag_scalar_dict: Mapping[str, object] | None = None,
        step: SupportsIndex | None = None,
        wall_time: float | None = None,
    ) -> None: ...
    @overload
    def add_scalars(
        self,
        main_tag: Mapping[str, object],
        values: None = None,
        global_step: SupportsIndex | None = None,
        walltime: float | None = None,
        *,
        step: SupportsIndex | None = None,
        wall_time: float | None = None,
    ) -> None: ...
    def add_scalars(
        self,
        main_tag: str | Mapping[str, object],
        values: Mapping[str, object] | None = None,
        global_step: SupportsIndex | None = None,
        walltime: float | None = None,
        *,
        tag_scalar_dict: Mapping[str, object] | None = None,
        step: SupportsIndex | None = None,
        wall_time: float | None = None,
    ) -> None:
        """Record several values of one step, all with the same wall time.

        `add_scalars("loss", {"train": 0.1, "val": 0.2}, step)` writes the tags `loss/train` and `loss/val`;
        `add_scalars({"loss": 0.1, "accuracy": 0.9}, step=step)` takes the names as they are.

        Raises:
            TypeError: a value, tag or step has the wrong type; none of the values is recorded.
            ValueError: a tag or step is out of range, or the writer is closed.
        """
        values = tag_scalar_dict if values is None else values
        if isinstance(main_tag, Mapping):
            if values is not None:
                raise TypeError('add_scalars takes the step by name here: add_scalars({"loss": 0.1}, step=step).')
            named = dict(main_tag)
        elif isinstance(main_tag, str) and isinstance(values, Mapping):
            named = {f"{main_tag}/{check_tag(name)}": value for name, value in values.items()}
        else:
            raise TypeError('add_scalars needs names and numbers, as in add_scalars("loss", {"train": 0.1}, step).')
        for tag in named:
            self._series.check(tag)
        pairs = tuple((tag, as_scalar(tag, value)) for tag, value in named.items())
        if pairs:
            number = step if global_step is None else global_step
            self._put(pairs, number, wall_time if walltime is None else walltime)

    def add_histogram(
        self,
        tag: str,
        values: object,
        global_step: SupportsIndex | None = None,
        bins: str | SupportsIndex | Sequence[float] | None = None,
        walltime: float | None = None,
        max_bins: int | None = None,
        *,
        step: SupportsIndex | None = None,
        wall_time: float | None = None,
    ) -> None:
        """Record the distribution of an array's elements. NaN and infinity are counted separately.

        Args:
            tag: the series' name.
            values: an array or tensor of any library, or nested lists of numbers.
            global_step, walltime: as in `add_scalar`.
            bins: number of buckets of equal width, or their edges in ascending order. Default, and for any
                string: MindSpore's rule, up to 90 buckets from minimum to maximum.
            max_bins: ignored.
            step, wall_time: aliases of `global_step` and `walltime`.

        Raises:
            TypeError: `values` are not real numbers, or a tag or step has the wrong type.
            ValueError: a tag, step or `bins` is out of range, or the writer is closed.
        """
        if self._histograms is None:
            from summaries.writing import histogram

            self._histograms = histogram
        taken = self._take(tag, values, real=True)
        fill = partial(self._histograms.fill_histogram, bins=self._histograms.check_bins(tag, bins))
        self._put_array("histogram", tag, taken, fill, (global_step, step), (walltime, wall_time))

    def add_image(
        self,
        tag: str,
        img_tensor: object,
        global_step: SupportsIndex | None = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
        *,
        step: SupportsIndex | None = None,
        wall_time: float | None = None,
    ) -> None:
        """Record an image as PNG.

        uint8 is kept. Numbers from 0 to 1 are multiplied by 255; others are scaled from minimum to maximum. One
        channel becomes grey. Several images are placed side by side, eight in a row.

        Args:
            tag: the series' name.
            img_tensor: an array or tensor of 1, 3 or 4 channels.
            global_step, walltime: as in `add_scalar`.
            dataformats: order of the dimensions: CHW, HWC, HW, NCHW, NHWC.
            step, wall_time: aliases of `global_step` and `walltime`.

        Raises:
            TypeError: not an array of real numbers, or a tag or step has the wrong type.
            ValueError: shape and `dataformats` do not match, a tag or step is out of range, or the writer is closed.
        """
        from summaries.writing.image import check_layout, fill_image

        taken = self._take(tag, img_tensor, real=True)
        fill = partial(fill_image, layout=check_layout(tag, taken.array.shape, dataformats))
        self._put_array("image", tag, taken, fill, (global_step, step), (walltime, wall_time))

    def add_images(
        self,
        tag: str,
        img_tensor: object,
        global_step: SupportsIndex | None = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
        *,
        step: SupportsIndex | None = None,
        wall_time: float | None = None,
    ) -> None:
        """Record a batch of images as one: `add_image` with NCHW as the default of `dataformats`."""
        self.add_image(tag, img_tensor, global_step, walltime, dataformats, step=step, wall_time=wall_time)

    def add_tensor(
        self,
        tag: str,
        tensor: object,
        global_step: SupportsIndex | None = None,
        walltime: float | None = None,
        *,
        step: SupportsIndex | None = None,
        wall_time: float | None = None,
    ) -> None:
        """Record a tensor with all its elements, exactly and in its own element type.

        Raises:
            TypeError: not an array of numbers, or a tag or step has the wrong type.
            ValueError: more than about 64 MB, a tag or step is out of range, or the writer is closed.
        """
        from summaries.tensor import check_size, fill_tensor

        taken = self._take(tag, tensor)
        check_size(tag, taken.array, taken.element)
        fill = partial(fill_tensor, element=taken.element)
        self._put_array("tensor", tag, taken, fill, (global_step, step), (walltime, wall_time))

    def add_text(
        self,
        tag: str,
        text_string: str,
        global_step: SupportsIndex | None = None,
        walltime: float | None = None,
        *,
        step: SupportsIndex | None = None,
        wall_time: float | None = None,
    ) -> None:
        """Record a text, which may be Markdown.

        Raises:
            TypeError: not a string, or a tag or step has the wrong type.
            ValueError: a text, tag or step is out of range, or the writer is closed.
        """
        self._series.check(tag)
        fill = partial(fill_text, text=check_text(tag, text_string))
        encode = ValueEncoder(tag, self._series.number(tag, global_step, step), _wall(walltime, wall_time), fill)
        self._files.put_item(Item(f"the text {tag!r}", encode))

    def add_graph(
        self, model: object, input_to_model: object = None, verbose: bool = False, use_strict_trace: bool = True
    ) -> None:
        """Record the graph of a training step.

        Args:
            model: a `GraphProto` or `ModelProto` of anf_ir, from the training core or from MindSpore, or its
                bytes. For a model of another library, a warning is logged once and nothing is recorded. Bytes
                that are not a graph are dropped with an error in the log.
            input_to_model, verbose, use_strict_trace: ignored.

        Raises:
            TypeError: `model` is none of these.
            ValueError: it is too large, or the writer is closed.
        """
        graph = take_graph(model)
        if graph is None:
            text = "SummaryWriter.add_graph takes a GraphProto of anf_ir; a %s has none, and nothing is recorded."
            warn_once("add_graph", text % type(model).__name__)
            return
        self._files.put_item(Item("the graph", partial(graph.encode, time()), graph.size))

    def add_profile(self, profile: "Profile") -> None:
        """Record a profile, by which the dashboard colours the run's graphs. The newest one counts.

        Args:
            profile: times and sizes by operator, under the full names of the graph.

        Raises:
            ValueError: it is too large, or the writer is closed.
        """
        from summaries.profile import profile_event

        self._files.put_item(Item("the profile", partial(bytes, profile_event(time(), profile))))

    def add_hparams(
        self,
        hparam_dict: Mapping[str, object],
        metric_dict: Mapping[str, object] | None = None,
        hparam_domain_discrete: Mapping[str, Sequence[object]] | None = None,
        run_name: str | None = None,
        global_step: SupportsIndex | None = None,
        *,
        step: SupportsIndex | None = None,
    ) -> None:
        """Record hyper-parameters and results in a MindSpore lineage file beside the event file.

        Args:
            hparam_dict: hyper-parameters by name: numbers, strings, or dictionaries of these. Other values are
                recorded as strings.
            metric_dict: results by name, as numbers.
            hparam_domain_discrete: ignored.
            run_name: recorded as the hyper-parameter `run_name`.
            global_step: step of the results.
            step: alias of `global_step`.

        Raises:
            TypeError: a name is not a string or a result is not a number.
            ValueError: a name is empty or too long, or the writer is closed.
        """
        from summaries.writing.lineage import hparams_events

        parameters = dict(hparam_dict) | ({} if run_name is None else {"run_name": run_name})
        metrics = dict(metric_dict or {})
        for name in (*parameters, *metrics):
            check_tag(name)
        given = step if global_step is None else global_step
        number = None if given is None else check_step("add_hparams", given)
        for event in hparams_events(time(), number, parameters, metrics):
            self._files.put_lineage(Item("the hyper-parameters", event.SerializeToString))

    def add_lineage(self, event: "LineageEvent") -> None:
        """Record an event of MindSpore's lineage format in the run's lineage file.

        Args:
            event: the complete message.

        Raises:
            ValueError: the writer is closed.
        """
        self._files.put_lineage(Item("the lineage", partial(bytes, event.SerializeToString())))

    def add_live_edit(
        self,
        name: str,
        before: float | int | bool | str | None,
        after: float | int | bool | str,
        global_step: SupportsIndex | None = None,
        walltime: float | None = None,
        *,
        author: str = "",
        note: str = "",
        step: SupportsIndex | None = None,
        wall_time: float | None = None,
    ) -> None:
        """Record a change of a setting during training.

        Args:
            name: name of the setting, such as `learning_rate`.
            before: old value; None if unknown.
            after: new value.
            global_step: last step with the old value.
            walltime: seconds since 1970. Default: now.
            author, note: who made the change, and why; may be empty.
            step, wall_time: aliases of `global_step` and `walltime`.

        Raises:
            TypeError: a value is neither number nor string, or a name or step has the wrong type.
            ValueError: a name, text or step is out of range, or the writer is closed.
        """
        from summaries.live_edit import edit_event

        self._series.check(name)
        given = step if global_step is None else global_step
        number = check_step("add_live_edit", 0 if given is None else given)
        event = edit_event(_wall(walltime, wall_time), number, name, before, after, author, note)
        self._files.put_item(Item(f"the change of {name!r}", event.SerializeToString))

    def _put(self, values: Values, step: SupportsIndex | None, wall_time: float | None) -> None:
        number = self._series.count(tag for tag, _ in values) if step is None else check_step(values[0][0], step)
        self._files.put(number, time() if wall_time is None else float(wall_time), values)

    def _take(self, tag: str, value: object, *, real: bool = False) -> "Taken":
        if self._arrays is None:
            from summaries.writing.arrays import ArrayQueue

            self._arrays = ArrayQueue(self._files)
        self._series.check(tag)
        return self._arrays.take(tag, value, real=real)

    def _put_array(
        self,
        kind: str,
        tag: str,
        taken: "Taken",
        fill: Callable[..., None],
        steps: tuple[SupportsIndex | None, SupportsIndex | None],
        walls: tuple[float | None, float | None],
    ) -> None:
        assert self._arrays is not None  # noqa: S101  (`_take` made it)
        self._arrays.put(kind, tag, self._series.number(tag, *steps), _wall(*walls), taken, fill)


def _wall(*given: float | None) -> float:
    for wall in given:
        if wall is not None:
            return float(wall)
    return time()
