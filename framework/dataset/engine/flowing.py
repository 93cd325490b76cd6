"""The operators of a dataset that change the flow of its rows: batches by length, `flat_map`, and waiting."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from framework.common.validator import check_bool, check_positive_int
from framework.dataset.engine.node_arguments import names_of, padding_json, workers_json
from framework.dataset.engine.readable import Readable
from framework.dataset.ir import Node, walk
from framework.dataset.runtime.flow.callbacks import DSCallback
from framework.dataset.runtime.flow.gates import Gate
from framework.dataset.runtime.rows import plain

if TYPE_CHECKING:
    from framework.dataset.engine.datasets import Dataset

__all__ = ["Flowing", "callbacks_of"]


def callbacks_of(callbacks: DSCallback | Sequence[DSCallback] | None) -> dict[str, tuple[DSCallback, ...]]:
    """The callbacks of a map, for its node; no entry without any.

    Raises:
        TypeError: one is no `DSCallback`.
    """
    given = (callbacks,) if isinstance(callbacks, DSCallback) else tuple(callbacks or ())
    for callback in given:
        if not isinstance(callback, DSCallback):
            raise TypeError(f"callbacks must be of DSCallback, not {callback!r}")
    return {"callbacks": given} if given else {}


class Flowing(Readable):
    """Base class of datasets, with the operators that change the flow of rows."""

    @abstractmethod
    def _then(self, op_type: str, parameters: Mapping[str, Any], **more: Any) -> Dataset:
        """The dataset after another operator."""

    def bucket_batch_by_length(
        self,
        column_names: Sequence[str],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        element_length_function: Callable[..., int] | None = None,
        pad_info: Mapping[str, Any] | None = None,
        pad_to_bucket_boundary: bool = False,
        drop_remainder: bool = False,
    ) -> Dataset:
        """Put rows of similar length into a batch: each row goes into the bucket of its length, and a full bucket is a
        batch.

        Args:
            column_names: columns that `element_length_function` takes; one column without a function.
            bucket_boundaries: the lengths at which the next bucket begins, increasing and above 0.
            bucket_batch_sizes: size of the batches of each bucket, one more than boundaries.
            element_length_function: function of the columns that returns the length; None for the length of the
                column's first axis.
            pad_info: as for `padded_batch`; None to pad nothing.
            pad_to_bucket_boundary: pad the axes that `pad_info` leaves open to one less than the bucket's boundary.
            drop_remainder: drop the buckets that are not full at the end.

        Returns:
            The dataset of batches.

        Raises:
            ValueError: an argument does not fit another one.
            RuntimeError: a row is too long for all boundaries that rows shall be padded to. It is raised when the
                batch is read.
        """
        names = names_of("column_names", column_names)
        boundaries = [check_positive_int(boundary, "bucket_boundaries") for boundary in bucket_boundaries]
        sizes = [check_positive_int(size, "bucket_batch_sizes") for size in bucket_batch_sizes]
        if not boundaries or any(low >= high for low, high in pairwise(boundaries)):
            raise ValueError(f"bucket_boundaries must increase, and one must be there, not {boundaries}")
        if len(sizes) != len(boundaries) + 1:
            raise ValueError(f"bucket_batch_sizes must be one more than the {len(boundaries)} boundaries, not {sizes}")
        if element_length_function is None and len(names) != 1:
            raise ValueError(f"column_names must be one column without element_length_function, not {names}")
        if element_length_function is not None and not callable(element_length_function):
            raise TypeError(f"element_length_function must be a function, not {element_length_function!r}")
        python = {
            "column_names": names,
            "boundaries": boundaries,
            "sizes": sizes,
            "length": element_length_function,
            "pad_info": padding_json(pad_info or {}),
            "to_boundary": check_bool(pad_to_bucket_boundary, "pad_to_bucket_boundary"),
            "drop_remainder": check_bool(drop_remainder, "drop_remainder"),
        }
        return self._then("BucketBatchByLength", workers_json(None), python=python)

    def flat_map(self, func: Callable[[list[Any]], Dataset]) -> Dataset:
        """Make a dataset of each row, and read their rows one after the other.

        Args:
            func: function of the list of a row's values, which returns a dataset. All of them have the same columns. It
                is called once with the first row at once, and for each row when that is read.

        Returns:
            The dataset of all rows.

        Raises:
            TypeError: `func` is no function, or returns something else.
            RuntimeError: there is no row.
        """
        if not callable(func):
            raise TypeError(f"flat_map: func must be a function, not {func!r}")

        def made(values: Sequence[Any]) -> Dataset:
            dataset = func([plain(value) for value in values])
            if not isinstance(dataset, Flowing):
                raise TypeError(f"flat_map: func must return a dataset, not {dataset!r}")
            return dataset

        def node(values: Sequence[Any]) -> Node:
            return made(values).node

        first = self._first()
        if first is None:
            raise RuntimeError(f"flat_map: {self.node.op_type} at {self.node.where} has no row")
        columns = made(first).get_col_names()
        return self._then("FlatMap", {"function": "pyfunc"}, python={"function": node, "columns": columns})

    def sync_wait(
        self, condition_name: str, num_batch: int = 1, callback: Callable[[Any], object] | None = None
    ) -> Dataset:
        """Let rows wait here until `sync_update` lets them pass.

        Operators behind this one are computed by one thread, row by row. The first rows of an epoch may pass before the
        last update of the epoch before.

        Args:
            condition_name: name for `sync_update`.
            num_batch: number of rows that pass at the start of each epoch without an update, and with each update.
            callback: function that `sync_update` calls with its data before rows pass; None for none.

        Returns:
            The dataset with this place.

        Raises:
            ValueError: the name is taken, or `num_batch` is not above 0.
            TypeError: the callback is no function.
        """
        if not isinstance(condition_name, str) or condition_name in self.get_sync_notifiers():
            raise ValueError(f"sync_wait: condition_name must be a text that is not in use, not {condition_name!r}")
        if callback is not None and not callable(callback):
            raise TypeError(f"sync_wait: callback must be a function, not {callback!r}")
        gate = Gate(check_positive_int(num_batch, "num_batch"), callback)
        return self._then("SyncWait", {"condition_name": condition_name, "num_batch": num_batch}, python={"gate": gate})

    def sync_update(self, condition_name: str, num_batch: int | None = None, data: Any = None) -> None:
        """Let rows pass that wait in a `sync_wait`.

        Args:
            condition_name: name of that place.
            num_batch: number of rows that may pass; None for that of `sync_wait`.
            data: what the callback of `sync_wait` gets; None not to call it.

        Raises:
            RuntimeError: there is no such place.
            ValueError: `num_batch` is not above 0.
        """
        notifiers = self.get_sync_notifiers()
        if condition_name not in notifiers:
            names = ", ".join(notifiers) or "none"
            raise RuntimeError(f"sync_update: there is no condition {condition_name!r}, only {names}")
        if num_batch is not None:
            check_positive_int(num_batch, "num_batch")
        notifiers[condition_name](num_batch, data)

    def get_sync_notifiers(self) -> dict[str, Callable[[int | None, Any], None]]:
        """The functions that let rows pass, by the name of the condition."""
        gates = [node for node in walk(self.node) if node.op_type == "SyncWait"]
        return {node.parameters["condition_name"]: node.python["gate"].update for node in gates}

    def disable_sync(self) -> None:
        """Let all rows pass from now on in every `sync_wait`."""
        for node in walk(self.node):
            if node.op_type == "SyncWait":
                node.python["gate"].open()
