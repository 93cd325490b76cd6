"""Finds tensors and source files of a paused training for the commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from debugging.contract import Debuggee
from debugging.session.messages import FIRST_TENSOR_BLOB
from debugging.session.progress import Progress
from debugging.session.refusal import RefusedError
from debugging.steps.last_steps import LastSteps, NotKeptError
from debugging.steps.stepper import Stop
from debugging.tensors.arrays import to_numpy
from debugging.tensors.recording import Recording
from debugging.tensors.statistics import message_of
from debugging.tensors.tensor_names import TensorName
from summaries.schema import debugger_pb2 as wire

__all__ = ["Inspector"]

_LARGEST: Final = 1 << 30
"""Most bytes of a tensor that is sent; the dashboard keeps no larger ones."""
_LONGEST_SOURCE: Final = 900_000
_LONGEST_ANSWER: Final = 900_000
_NUMBERS: Final = "biufc"
"""Kinds of numeric dtypes in numpy."""

Array = np.ndarray[Any, Any]


class Inspector:
    """Finds tensors and source files.

    Args:
        debuggee: The training.
        progress: The progress of the training.
        steps: The kept state of its steps.

    """

    def __init__(self, debuggee: Debuggee, progress: Progress, steps: LastSteps) -> None:
        self._weights = {weight.name: weight for weight in debuggee.weights()}
        self._progress = progress
        self._steps = steps
        self._blobs = FIRST_TENSOR_BLOB
        self._files: set[str] = set()

    def array(self, name: TensorName, stop: Stop | None, previous: bool = False) -> Array:
        """A tensor of the current step or of the one before.

        For a weight, the value after the step; of the step before, the value that the current step began with.

        Args:
            name: Of the tensor.
            stop: Where the training is paused within a step; None between steps.
            previous: Take the step before.

        Raises:
            RefusedError: The tensor is unknown or has no value.

        """
        if name.full_name in self._weights:
            return self._weight(name.full_name, previous)
        within = stop is not None and not previous
        recording = self._recording(stop, previous)
        found = None if recording is None else recording.array(name)
        if found is not None:
            return found
        nodes = self._steps.nodes
        if nodes is None or name.full_name not in nodes:
            raise RefusedError("unknown_node", f"this training has no node {name.full_name!r}")
        if within:
            raise RefusedError("not_executed", f"{name} has not been executed yet in this step")
        raise RefusedError("no_value", f"{name} was not executed in this step; the compiler may have removed it")

    def health(self, stop: Stop | None, reply: wire.Reply) -> str:
        """Add the statistics of all tensors of the step to a reply, as many as fit; returns a note if some did not.

        Args:
            stop: Where the training is paused within a step; None between steps.
            reply: Takes the statistics.

        Raises:
            RefusedError: The step was not kept.

        """
        recording = self._recording(stop, previous=False)
        room = _LONGEST_ANSWER
        names = [] if recording is None else recording.names
        for place, name in enumerate(names):
            weight = self._weights.get(name.full_name)
            array = None if recording is None else recording.array(name)
            if array is None or not _holds_numbers(array):
                continue
            found = message_of(array if weight is None else weight.array, name)
            room -= found.ByteSize() + 8
            if room < 0:
                return f"the first {place:,} of the {len(names):,} tensors of this step are shown"
            reply.statistics.append(found)
        return ""

    def blob(self, name: TensorName, array: Array, previous: bool) -> tuple[wire.BlobBegin, memoryview]:
        """The announcement and the bytes of a tensor.

        Raises:
            RefusedError: The tensor is too large, or its elements are not numbers.

        """
        if array.nbytes > _LARGEST:
            raise RefusedError("too_large", f"{name} has {array.nbytes:,} bytes; at most {_LARGEST:,} are sent")
        if not _holds_numbers(array):
            raise RefusedError("no_value", f"{name} holds {array.dtype.name}, not numbers")
        if array.dtype.name == "bfloat16":
            # The page knows numpy's own types.
            array = array.astype(np.float32)
        little = array.astype(array.dtype.newbyteorder("<"), order="C", copy=True)
        self._blobs += 1
        begin = wire.BlobBegin(
            id=self._blobs,
            content=wire.BlobBegin.TENSOR,
            bytes=little.nbytes,
            dtype=array.dtype.name,
            shape=array.shape,
            tensor=name.message,
            step=max(0, self._progress.step - previous),
            previous=previous,
        )
        return begin, little.reshape(-1).view(np.uint8).data

    def allow_files(self, stop: Stop) -> None:
        """Allow the files of a stack to be read."""
        self._files.update(line.file for line in stop.stack)

    def source(self, file: str) -> str:
        """The text of a source file of the program.

        Raises:
            RefusedError: No node or stack names the file, or it cannot be read.

        """
        nodes = self._steps.nodes
        if file not in self._files and (nodes is None or file not in nodes.files):
            raise RefusedError("unknown_file", f"no node of this program comes from the file {file!r}")
        try:
            with Path(file).open(encoding="utf-8", errors="replace") as text:
                found = text.read(_LONGEST_SOURCE + 1)
        except OSError as error:
            raise RefusedError("unreadable_file", f"{file} cannot be read: {error.strerror}") from None
        if len(found.encode()) > _LONGEST_SOURCE:
            raise RefusedError("too_long", f"{file} is longer than {_LONGEST_SOURCE:,} bytes")
        return found

    def _recording(self, stop: Stop | None, previous: bool) -> Recording | None:
        if stop is not None and not previous:
            return self._steps.partial
        try:
            return self._steps.recording(previous)
        except NotKeptError as error:
            raise RefusedError("no_value", f"{error}") from None

    def _weight(self, name: str, previous: bool) -> Array:
        if not previous:
            return to_numpy(self._weights[name].array)
        before = self._steps.before
        if before is None:
            raise RefusedError("no_value", self._steps.cannot_run_again)
        return to_numpy(before.arrays[name])


def _holds_numbers(array: Array) -> bool:
    """Whether the elements are numbers; bfloat16 is none of numpy's own kinds."""
    return array.dtype.kind in _NUMBERS or array.dtype.name == "bfloat16"
