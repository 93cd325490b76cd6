"""Iterators over a pipeline, epoch by epoch: rows as dictionaries or lists, of tensors or numpy arrays."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, Self

from framework.common.tensor import Tensor
from framework.dataset.monitor.states import PipelineState
from framework.dataset.runtime import Tree
from framework.dataset.runtime.connector import Closed
from framework.dataset.runtime.rows import Row

__all__ = ["DictIterator", "TupleIterator"]


class _EpochIterator:
    """Base class of iterators: each `for row in iterator` reads one epoch.

    Its workers end with the last epoch, on an error, with `close`, with `with`, or when nobody holds the iterator.

    Args:
        tree: the pipeline to read.
        num_epochs: number of epochs; -1 for any number.
        output_numpy: return numpy arrays in place of tensors.
    """

    def __init__(self, tree: Tree, num_epochs: int, output_numpy: bool) -> None:
        if not isinstance(num_epochs, int) or isinstance(num_epochs, bool) or (num_epochs != -1 and num_epochs < 1):
            raise ValueError(f"num_epochs must be an int above 0, or -1 for any number of epochs, not {num_epochs!r}")
        self._tree = tree
        self._num_epochs = num_epochs
        self._output_numpy = output_numpy
        self._epoch = 0
        self._rows: Iterator[Row] | None = None
        self._stopped = False
        # Also called at exit. It must not hold the iterator itself.
        self._finalizer = weakref.finalize(self, tree.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Any:
        return self

    def _next_row(self) -> Row:
        if self._stopped:
            raise RuntimeError("the iterator was stopped; create another one")
        if self._rows is None:
            if self._epoch == self._num_epochs:
                raise RuntimeError(
                    f"the {self._num_epochs} epochs of this iterator are over; create one with a larger num_epochs,"
                    " or with -1 for any number"
                )
            self._rows = self._tree.rows(self._epoch, self._num_epochs)
        try:
            row = next(self._rows, None)
        except Closed:
            raise RuntimeError("the iterator was stopped while a row was computed; create another one") from None
        except BaseException:
            # The threads end at once; a caller that goes on learns that there are no more rows.
            self._rows = iter(())
            self._finalizer()
            raise
        if row is None:
            self._rows = None
            self._epoch += 1
            if self._epoch == self._num_epochs:
                self._finalizer()
            raise StopIteration
        return row

    def _given(self, value: Any, owned: bool) -> Any:
        """The user's form of a value; one that is owned becomes a tensor without a copy."""
        if isinstance(value, dict):
            # A user's function may hold what is in it.
            return {name: self._given(item, owned=False) for name, item in value.items()}
        if value.dtype == object:
            return self._given(value.item(), owned=False)
        # Texts cannot be tensors.
        if self._output_numpy or value.dtype.kind in "SU":
            return value
        return Tensor.from_numpy(value) if owned else Tensor(value)

    def skip_epochs(self, count: int) -> None:
        """Skip epochs without reading them, for a training that resumes another one.

        With the same seed, the random numbers of the next epoch are the same as after reading the skipped ones.

        Args:
            count: number of epochs.

        Raises:
            ValueError: fewer epochs are left.
            RuntimeError: an epoch is being read.
        """
        if self._rows is not None:
            raise RuntimeError("epochs can be skipped between epochs, not within one")
        if count < 0 or (self._num_epochs != -1 and self._epoch + count > self._num_epochs):
            raise ValueError(f"cannot skip {count} epochs: {self._epoch} of {self._num_epochs} are over")
        self._epoch += count

    def state(self) -> PipelineState:
        """What the operators did so far."""
        return self._tree.state()

    def close(self) -> None:
        """End the workers and free everything: the iterator returns no more rows. It may be called again."""
        self._stopped, self._rows = True, None
        self._finalizer()

    def stop(self) -> None:
        """MindSpore's name of `close`."""
        self.close()

    def release(self) -> None:
        """MindSpore's other name of `close`."""
        self.close()


class DictIterator(_EpochIterator):
    """Rows as dictionaries of values by column name."""

    def __next__(self) -> dict[str, Any]:
        row = self._next_row()
        owned = self._tree.root.gives_memory
        return {name: self._given(value, owned) for name, value in zip(self._tree.columns, row.values, strict=True)}


class TupleIterator(_EpochIterator):
    """Rows as lists of values.

    Args:
        tree: the pipeline to read.
        columns: names of the columns to return; None for all.
        num_epochs: number of epochs; -1 for any number.
        output_numpy: return numpy arrays in place of tensors.
    """

    def __init__(self, tree: Tree, columns: Sequence[str] | None, num_epochs: int, output_numpy: bool) -> None:
        super().__init__(tree, num_epochs, output_numpy)
        names = tree.columns if columns is None else columns
        for name in names:
            if name not in tree.columns:
                raise ValueError(f"there is no column {name!r}, only {', '.join(tree.columns)}")
        self._places = [tree.columns.index(name) for name in names]

    def __next__(self) -> list[Any]:
        row = self._next_row()
        owned = self._tree.root.gives_memory
        return [self._given(row.values[place], owned) for place in self._places]
