"""Operators that choose and order rows: Shuffle, Repeat, Skip, Take, Zip and Concat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count as count_from
from itertools import islice
from typing import TypeVar

import numpy as np

from framework.dataset.ir.nodes import Node
from framework.dataset.runtime.blocks import Block, rows_of
from framework.dataset.runtime.blocks.buffer import shuffled
from framework.dataset.runtime.failures import failure
from framework.dataset.runtime.rows import Array, Operator, Pass, Row

__all__ = ["Concat", "Repeat", "Shuffle", "Skip", "Take", "Zip"]

Item = TypeVar("Item")
Random = np.random.Generator


class Shuffle(Operator):
    """Rows in random order, each drawn from a buffer that the next row then refills."""

    def __init__(self, number: int, node: Node, child: Operator) -> None:
        self.parameters = node.parameters
        super().__init__(number, child.columns, (child,))

    def rows(self, this: Pass) -> Iterator[Row]:
        """The child's rows in random order."""
        blocks = self.blocks(this)
        return self._one_by_one(this) if blocks is None else rows_of(blocks)

    def blocks(self, this: Pass) -> Iterator[Block] | None:
        """The child's rows in the same random order, if they come in blocks."""
        before = self.children[0].blocks(this)
        return None if before is None else shuffled(before, self.parameters["buffer_size"], self._stream(this))

    def _stream(self, this: Pass) -> Random:
        again = self.parameters["reset_each_epoch"]
        seed, pinned = self.parameters.get("seed", this.seed), "seed" in self.parameters
        return Pass(seed, this.path if again else ()).stream(0 if pinned else self.number)

    def _one_by_one(self, this: Pass) -> Iterator[Row]:
        stream = self._stream(this)
        buffer: list[Row] = []
        for row in self.children[0].rows(this):
            if len(buffer) < self.parameters["buffer_size"]:
                buffer.append(row)
                continue
            place = int(stream.integers(len(buffer)))
            yield buffer[place]
            buffer[place] = row
        for place in stream.permutation(len(buffer)):
            yield buffer[place]


class Repeat(Operator):
    """Repeats the child's rows."""

    def __init__(self, number: int, node: Node, child: Operator) -> None:
        self.count: int = node.parameters["count"]
        super().__init__(number, child.columns, (child,))

    def rows(self, this: Pass) -> Iterator[Row]:
        """The rows of `count` passes over the child; -1 for no end."""
        return self._repeated(this, self.children[0].rows)

    def blocks(self, this: Pass) -> Iterator[Block] | None:
        """The blocks of `count` passes over the child."""
        child = self.children[0]
        return (
            None if child.blocks(this.round(0)) is None else self._repeated(this, lambda one: child.blocks(one) or ())
        )

    def _repeated(self, this: Pass, child: Callable[[Pass], Iterable[Item]]) -> Iterator[Item]:
        for number in range(self.count) if self.count != -1 else count_from():
            empty = True
            for item in child(this.round(number)):
                empty = False
                yield item
            if empty and self.count == -1:
                return

    @property
    def gives_memory(self) -> bool:
        """As the child: no row comes twice."""
        return self.children[0].gives_memory

    def size(self) -> int | None:
        """The child's size times the count. For an endless repeat it only matters whether there is a row."""
        inner = self.children[0].size()
        if self.count == -1:
            if inner is None:
                inner = sum(1 for _ in islice(self.children[0].rows(Pass(0, (0,))), 1))
            return -1 if inner else 0
        return inner if inner is None or inner == -1 else inner * self.count


class Skip(Operator):
    """Leaves out the first rows."""

    def __init__(self, number: int, node: Node, child: Operator) -> None:
        self.count: int = node.parameters["count"]
        super().__init__(number, child.columns, (child,))

    def rows(self, this: Pass) -> Iterator[Row]:
        """The child's rows after the first ones."""
        return islice(self.children[0].rows(this), self.count, None)

    def blocks(self, this: Pass) -> Iterator[Block] | None:
        """The child's rows after the first ones, in blocks."""
        before = self.children[0].blocks(this)
        return None if before is None else _part(before, self.count, None)

    @property
    def gives_memory(self) -> bool:
        """As the child: no row comes twice."""
        return self.children[0].gives_memory

    def size(self) -> int | None:
        """The number of remaining rows."""
        inner = self.children[0].size()
        return inner if inner is None or inner == -1 else max(inner - self.count, 0)


class Take(Operator):
    """Keeps the first rows."""

    def __init__(self, number: int, node: Node, child: Operator) -> None:
        self.count: int = node.parameters["count"]
        super().__init__(number, child.columns, (child,))

    def rows(self, this: Pass) -> Iterator[Row]:
        """The child's first rows; all for -1."""
        return islice(self.children[0].rows(this), self.count if self.count != -1 else None)

    def blocks(self, this: Pass) -> Iterator[Block] | None:
        """The child's first rows, in blocks."""
        before = self.children[0].blocks(this)
        return before if before is None or self.count == -1 else _part(before, 0, self.count)

    @property
    def gives_memory(self) -> bool:
        """As the child: no row comes twice."""
        return self.children[0].gives_memory

    def size(self) -> int | None:
        """The number of rows that are kept."""
        inner = self.children[0].size()
        if self.count == -1 or inner is None:
            return inner
        return self.count if inner == -1 else min(inner, self.count)


def _part(blocks: Iterator[Block], start: int, stop: int | None) -> Iterator[Block]:
    """The rows of blocks from one on, and before another."""
    seen = 0
    for block in blocks:
        end = len(block) if stop is None else min(len(block), stop - seen)
        if max(start - seen, 0) < end:
            yield block[max(start - seen, 0) : end]
        seen += len(block)
        if stop is not None and seen >= stop:
            return


class Zip(Operator):
    """Rows of several pipelines side by side, until the shortest one ends."""

    def __init__(self, number: int, node: Node, children: tuple[Operator, ...]) -> None:
        columns = tuple(name for child in children for name in child.columns)
        doubled = sorted({name for name in columns if columns.count(name) > 1})
        if doubled:
            raise failure(node, "", None, f"two of the datasets have a column {doubled[0]!r}; rename one of them")
        super().__init__(number, columns, children)

    def rows(self, this: Pass) -> Iterator[Row]:
        """The rows with the columns of all children."""
        for rows in zip(*[child.rows(this) for child in self.children], strict=False):
            yield Row(tuple(value for row in rows for value in row.values), rows[0].origin)

    def size(self) -> int | None:
        """The size of the shortest child."""
        sizes = [child.size() for child in self.children]
        known = [size for size in sizes if size is not None and size != -1]
        if None in sizes:
            return None
        return min(known) if known else -1


def _kind(value: Array) -> str:
    """The element type; that of texts, whose length does not matter."""
    return "text" if value.dtype.kind == "U" else "bytes" if value.dtype.kind == "S" else value.dtype.name


class Concat(Operator):
    """Rows of several pipelines one after the other; their columns have the same element types."""

    def __init__(self, number: int, node: Node, children: tuple[Operator, ...]) -> None:
        self.node = node
        for child in children[1:]:
            if child.columns != children[0].columns:
                one, other = (", ".join(columns) for columns in (children[0].columns, child.columns))
                raise failure(node, "", None, f"datasets with the columns {one} and {other} cannot be concatenated")
        super().__init__(number, children[0].columns, children)

    def rows(self, this: Pass) -> Iterator[Row]:
        """The rows of the first child, then those of the next."""
        kinds: list[str] | None = None
        for child in self.children:
            first = True
            for row in child.rows(this):
                if first:
                    first, own = False, [_kind(value) for value in row.values]
                    kinds = kinds or own
                    for name, one, other in zip(self.columns, kinds, own, strict=True):
                        if one != other:
                            raise failure(self.node, "", row, f"column {name!r} is {other} here, {one} before")
                yield row

    def size(self) -> int | None:
        """The sum of the children's sizes."""
        sizes = [child.size() for child in self.children]
        if None in sizes:
            return None
        return -1 if -1 in sizes else sum(size for size in sizes if size is not None)
