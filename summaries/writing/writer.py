"""Record while training: `SummaryWriter`.

A training calls `add_scalar` and the like, which check what they get, copy arrays and queue them; a thread of the
writer's own encodes and writes. The files have MindSpore's form and can be followed while they grow.
"""

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, SupportsIndex, overload

from summaries.checks import as_scalar, check_step, check_tag
from summaries.naming import default_directory
from summaries.text import check_text, fill_text
from summaries.writing.graph import take_graph
from summaries.writing.items import Item, ValueEncoder
from summaries.writing.run_files import RunFiles
from summaries.writing.scalar_events import Values
from summaries.writing.tensorboard_calls import INSTEAD, unsupported, warn_once

if TYPE_CHECKING:
    from summaries.schema.lineage_pb2 import LineageEvent
    from summaries.schema.summary_pb2 import Profile
    from summaries.writing.arrays import BufferPool, Taken

_LOWEST_STEP, _HIGHEST_STEP = -(1 << 63), (1 << 63) - 1


class SummaryWriter:
    """Writes a new event file in `log_dir`, which a dashboard can follow at once.

    Use it as a context manager, or call `close` at the end; a writer that is still open when Python exits is
    closed then. A process that is forked while a writer is open writes into a file of its own in the same
    directory. Calls and arguments are those of `torch.utils.tensorboard` and of tensorboardX; in every call
    `step` and `wall_time` are other names for `global_step` and `walltime`.

    When the file cannot be written (a full disk, for instance), a warning is logged once, training goes on,
    and what was recorded meanwhile is written as soon as it is possible again.

    Args:
        log_dir: the run's directory; made when missing. Left out, it is `runs/TIME_HOST` with `comment` behind.
        comment: end of that name.
        purge_step: the training goes on from this step: what earlier files of the run say of it and of later
            steps is marked as superseded.
        max_queue: so many calls may wait to be written; beyond, a call waits for the thread to catch up.
        flush_secs: after so many seconds at most, a value is in the file.
        filename_suffix: end of the file's name.
        logdir: another name for `log_dir`.
        fsync: whether to wait for the disk itself after each write, so that a power failure loses nothing either.
        flush_on_sigterm: whether to write what was recorded when SIGTERM ends the process. This takes the signal
            over as long as the writer is open, in the main thread and where nobody else has; then the process
            ends as it would have, though not before a running call of native code is through.
        filename_prefix: beginning of the files' names.
        max_file_size: no file becomes longer than so many bytes; a warning tells when something is left out.
        lazy: open the event file with the first value rather than at once.
        environment: whether to record what the run is made with: command line, revision of the source, versions of
            packages, machine, chosen variables and seed, without what looks like a secret. The variable
            `MINDINSIGHT_RECORD_ENVIRONMENT=0` turns that off for all writers. A file of less than 1 MiB
            (`max_file_size`) goes without.

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
            raise ValueError(f"flush_secs={flush_secs} and max_queue={max_queue} have to be more than zero.")
        if log_dir is not None and logdir is not None:
            raise ValueError(f"log_dir={log_dir!r} and logdir={logdir!r} are the same argument; give one of them.")
        directory = logdir if log_dir is None else log_dir
        self._files = RunFiles(
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
        )
        self._tags: set[str] = set()
        self._next_steps: dict[str, int] = {}
        # Bound by the first array: numpy takes its time, and an import that finds all done still takes 40 µs in a
        # training whose caches hold other things.
        self._arrays: Any = None
        self._histograms: Any = None
        self._pool: BufferPool | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __getattr__(self, name: str) -> Callable[..., None]:
        """Answer calls that other writers have and this one does not: with a warning, once."""
        if name in INSTEAD:
            return unsupported(name)
        raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")

    @property
    def log_dir(self) -> Path:
        """The run's directory."""
        return self._files.directory

    @property
    def logdir(self) -> str:
        """The run's directory as tensorboardX names it."""
        return str(self.log_dir)

    def get_logdir(self) -> str:
        """Return the run's directory."""
        return self.logdir

    @property
    def path(self) -> Path | None:
        """The file that this process writes; None as long as nothing is written to it by a forked or a lazy one."""
        return self._files.path

    @property
    def lineage_path(self) -> Path | None:
        """The file with this process's hyper-parameters; None as long as there are none."""
        return self._files.lineage_path

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
        """Record one value of the series `tag`, as a 32-bit float; NaN and infinity are kept too.

        Args:
            tag: the series' name; `/` groups names, as in `loss/train`.
            value: a number, or an array or tensor of one element.
            global_step: the training step. Left out, the values of a tag are numbered from 0.
            walltime: seconds since 1970; now, when left out.
            scalar_value: another name for `value`.
            step, wall_time: other names for `global_step` and `walltime`.

        Raises:
            TypeError: a value, tag or step of the wrong type.
            ValueError: a tag or step out of range, or the writer is closed.
        """
        # Called more often than anything else: what is usual is looked at here, and a call less is a tenth of the time.
        if type(tag) is not str or tag not in self._tags:
            self._check(tag)
        if type(value) is not float:
            value = as_scalar(tag, scalar_value if value is None else value)
        number = step if global_step is None else global_step
        if type(number) is not int or not _LOWEST_STEP <= number <= _HIGHEST_STEP:
            number = self._number(tag, number, None)
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
            TypeError: a value, tag or step of the wrong type; then none of the values is recorded.
            ValueError: a tag or step out of range, or the writer is closed.
        """
        values = tag_scalar_dict if values is None else values
        if isinstance(main_tag, Mapping):
            named = dict(main_tag)
        elif isinstance(main_tag, str) and isinstance(values, Mapping):
            named = {f"{main_tag}/{check_tag(name)}": value for name, value in values.items()}
        else:
            raise TypeError('add_scalars needs names and numbers, as in add_scalars("loss", {"train": 0.1}, step).')
        for tag in named:
            self._check(tag)
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
        """Record how the elements of an array are distributed; NaN and infinity are counted apart.

        Args:
            tag: the series' name.
            values: an array or tensor of any library, or nested lists of numbers.
            global_step, walltime: as in `add_scalar`.
            bins: how many buckets of equal width, or their edges in ascending order. Left out, and for any
                text, MindSpore's rule: up to 90 buckets from minimum to maximum.
            max_bins: has no effect here.
            step, wall_time: other names for `global_step` and `walltime`.

        Raises:
            TypeError: `values` are no real numbers, or a tag or step is of the wrong type.
            ValueError: a tag, step or `bins` out of range, or the writer is closed.
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
        """Record a picture as PNG.

        uint8 is taken as it is; numbers from 0 to 1 are multiplied by 255; other ones are stretched from their
        minimum to their maximum. One channel becomes grey; several pictures stand side by side, eight in a row.

        Args:
            tag: the series' name.
            img_tensor: an array or tensor of 1, 3 or 4 channels.
            global_step, walltime: as in `add_scalar`.
            dataformats: what its dimensions are: CHW, HWC, HW, NCHW, NHWC.
            step, wall_time: other names for `global_step` and `walltime`.

        Raises:
            TypeError: no array of real numbers, or a tag or step is of the wrong type.
            ValueError: shape and `dataformats` do not go together, a tag or step is out of range, or the writer
                is closed.
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
        """Record a batch of pictures as one; as `add_image`, with NCHW in the place of CHW."""
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
            TypeError: no array of numbers, or a tag or step is of the wrong type.
            ValueError: more than about 64 MB, a tag or step out of range, or the writer is closed.
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
            TypeError: no text, or a tag or step is of the wrong type.
            ValueError: a text, tag or step out of range, or the writer is closed.
        """
        self._check(tag)
        fill = partial(fill_text, text=check_text(tag, text_string))
        encode = ValueEncoder(tag, self._number(tag, global_step, step), _wall(walltime, wall_time), fill)
        self._files.put_item(Item(f"the text {tag!r}", encode))

    def add_graph(
        self, model: object, input_to_model: object = None, verbose: bool = False, use_strict_trace: bool = True
    ) -> None:
        """Record the graph of a training step.

        Args:
            model: a `GraphProto` or `ModelProto` of anf_ir, from the training core or from MindSpore, or its
                bytes. A model of another library has none: a warning says so once, and nothing is recorded.
                Bytes that are no graph are left out with an error in the log.
            input_to_model, verbose, use_strict_trace: have no effect here.

        Raises:
            TypeError: `model` is nothing of that.
            ValueError: it is too large, or the writer is closed.
        """
        graph = take_graph(model)
        if graph is None:
            text = "SummaryWriter.add_graph takes a GraphProto of anf_ir; a %s has none, and nothing is recorded."
            warn_once("add_graph", text % type(model).__name__)
            return
        self._files.put_item(Item("the graph", partial(graph.encode, time()), graph.size))

    def add_profile(self, profile: "Profile") -> None:
        """Record what a profiler measured, by which the dashboard colours the run's graphs; the newest one counts.

        Args:
            profile: times and sizes by operator, under the full names that the graph has.

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
        """Record what the run was made with and what came out, in a MindSpore lineage file beside the event file.

        Args:
            hparam_dict: hyper-parameters by name: numbers, texts, or dictionaries of these; anything else is
                noted as text.
            metric_dict: results by name, which are numbers.
            hparam_domain_discrete: has no effect here.
            run_name: noted among the hyper-parameters, as `run_name`.
            global_step: the step of the results.
            step: another name for `global_step`.

        Raises:
            TypeError: a name is no text or a result is no number.
            ValueError: a name is empty or too long, or the writer is closed.
        """
        from summaries.writing.lineage import evaluation_event, user_event

        parameters = dict(hparam_dict) | ({} if run_name is None else {"run_name": run_name})
        metrics = dict(metric_dict or {})
        for name in (*parameters, *metrics):
            check_tag(name)
        given = step if global_step is None else global_step
        number = None if given is None else check_step("add_hparams", given)
        events = [user_event(time(), number, parameters)]
        if metrics:
            events.append(evaluation_event(time(), number, metrics))
        for event in events:
            self._files.put_lineage(Item("the hyper-parameters", event.SerializeToString))

    def add_lineage(self, event: "LineageEvent") -> None:
        """Record what a run was made of, or what came out, in the run's lineage file.

        Args:
            event: a message of MindSpore's lineage format, whole.

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
        """Record that a setting was changed while the training went on.

        Args:
            name: of the setting, such as `learning_rate`.
            before: what it was; None where that is not known.
            after: what it is from now on.
            global_step: the last step that ran with what was before.
            walltime: seconds since 1970; now, when left out.
            author, note: who did it, and why, as far as they said.
            step, wall_time: other names for `global_step` and `walltime`.

        Raises:
            TypeError: a value is neither number nor text, or a name or step is of the wrong type.
            ValueError: a name, text or step out of range, or the writer is closed.
        """
        from summaries.live_edit import edit_event

        self._check(name)
        given = step if global_step is None else global_step
        number = check_step("add_live_edit", 0 if given is None else given)
        event = edit_event(_wall(walltime, wall_time), number, name, before, after, author, note)
        self._files.put_item(Item(f"the change of {name!r}", event.SerializeToString))

    def open(self) -> None:
        """Open the event file of a lazy writer now, so that a dashboard shows the run before its first value."""
        self._files.open()

    def flush(self) -> bool:
        """Wait until everything recorded so far is in the file.

        Returns:
            False when the file cannot be written at present; what is missing stays queued.
        """
        return self._files.flush()

    def close(self) -> None:
        """Write what is left, mark the file as finished and close it. More than once does no harm."""
        self._files.close()

    def _put(self, values: Values, step: SupportsIndex | None, wall_time: float | None) -> None:
        number = self._count(tag for tag, _ in values) if step is None else check_step(values[0][0], step)
        self._files.put(number, time() if wall_time is None else float(wall_time), values)

    def _take(self, tag: str, value: object, *, real: bool = False) -> "Taken":
        if self._arrays is None:
            from summaries.writing import arrays

            self._arrays, self._pool = arrays, arrays.BufferPool()
        self._check(tag)
        taken: Taken = self._arrays.take_array(tag, value, real=real)
        return taken

    def _put_array(
        self,
        kind: str,
        tag: str,
        taken: "Taken",
        fill: Callable[..., None],
        steps: tuple[SupportsIndex | None, SupportsIndex | None],
        walls: tuple[float | None, float | None],
    ) -> None:
        """Queue an array, copied unless nobody else has it; `fill` makes the value of it in the thread."""
        number, wall = self._number(tag, *steps), _wall(*walls)
        array, pool = taken.array, self._pool
        assert pool is not None  # noqa: S101  (`_take` made it)
        if taken.fresh:
            encode = ValueEncoder(tag, number, wall, partial(fill, array=array))
            self._files.put_item(Item(f"the {kind} {tag!r}", encode, array.nbytes))
            return
        array, buffer = pool.copy(array)
        encode = ValueEncoder(tag, number, wall, partial(fill, array=array))
        self._files.put_item(Item(f"the {kind} {tag!r}", encode, array.nbytes, partial(pool.give_back, buffer)))

    def _check(self, tag: str) -> None:
        if not isinstance(tag, str) or tag not in self._tags:
            self._tags.add(check_tag(tag))

    def _number(self, tag: str, *steps: SupportsIndex | None) -> int:
        for step in steps:
            if step is not None:
                return check_step(tag, step)
        return self._count((tag,))

    def _count(self, tags: Iterable[str]) -> int:
        """Return the next number that no tag has had yet."""
        named = tuple(tags)
        step = max(self._next_steps.get(tag, 0) for tag in named)
        for tag in named:
            self._next_steps[tag] = step + 1
        return step


def _wall(*given: float | None) -> float:
    for wall in given:
        if wall is not None:
            return float(wall)
    return time()
