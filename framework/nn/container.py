"""Containers of Cells: `CellList`, `SequentialCell` and `CellDict`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from itertools import islice
from typing import Any, Self, overload

from framework.common.tensor import Tensor
from framework.nn.cell import Cell

__all__ = ["CellDict", "CellList", "SequentialCell"]


class _Ordered(Cell):
    """Base class of containers whose Cells are named by their index."""

    def _number(self, index: int) -> str:
        names: list[str] = list(self._cells)
        if not -len(names) <= index < len(names):
            raise IndexError(f"index {index} is out of range for {len(names)} Cells")
        return names[index]

    @overload
    def __getitem__(self, index: int) -> Cell: ...
    @overload
    def __getitem__(self, index: slice) -> _Ordered: ...
    def __getitem__(self, index: int | slice) -> Cell:
        if isinstance(index, slice):
            return type(self)(list(self._cells.values())[index])  # type: ignore[arg-type]
        cell: Cell = self._cells[self._number(index)]
        return cell

    def __setitem__(self, index: int, cell: Cell) -> None:
        self._hold(self._number(index), cell, self._prefix())

    def __delitem__(self, index: int | slice) -> None:
        held = list(self._cells.values())
        del held[index]
        self._renumber(held)

    def __bool__(self) -> bool:
        return len(self._cells) != 0

    def __len__(self) -> int:
        return len(self._cells)

    def __iadd__(self, cells: Iterable[Cell]) -> Self:
        return self.extend(cells)

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._cells.values())

    def append(self, cell: Cell) -> Self:
        """Append a Cell.

        Args:
            cell: the Cell.

        Returns:
            This container.
        """
        self._hold(str(len(self)), cell, self._prefix())
        return self

    def extend(self, cells: Iterable[Cell]) -> Self:
        """Append several Cells.

        Args:
            cells: the Cells.

        Returns:
            This container.
        """
        prefix = self._prefix()
        for cell in cells:
            self._hold(str(len(self)), cell, prefix)
        return self

    def insert(self, index: int, cell: Cell) -> None:
        """Insert a Cell before an index.

        Args:
            index: index of the Cell that follows.
            cell: the Cell.

        Raises:
            IndexError: the index lies outside of the container.
        """
        held = list(self._cells.values())
        if not -len(held) <= index <= len(held):
            raise IndexError(f"index {index} is out of range for inserting into {len(held)} Cells")
        held.insert(index, cell)
        self._renumber(held)

    def _renumber(self, cells: list[Cell]) -> None:
        """Hold exactly these Cells, under their indices, which become the first part of their parameters' names."""
        prefix = self._prefix()
        self._cells.clear()
        self.extend(cells)
        if prefix and self._auto_prefix:
            self.update_parameters_name(prefix)

    def _hold(self, name: str, cell: Cell, prefix: str) -> None:
        if not isinstance(cell, Cell):
            raise TypeError(f"{type(self).__name__} takes Cells, not {type(cell).__name__}")
        self.insert_child_to_cell(name, cell)
        if prefix and self._auto_prefix:
            cell.update_parameters_name(f"{prefix}{name}.")

    def _prefix(self) -> str:
        """The prefix that outer Cells have added to the names of its parameters; empty without parameters.

        As in MindSpore, it is read from the name of the first parameter: it ends before the first part that is the
        index of its Cell, and that the next Cell with parameters confirms at the same place. Unconfirmed, it ends
        before the last such part.
        """
        named = ((key, next(cell.get_parameters(), None)) for key, cell in self._cells.items())
        firsts = list(islice(((key, found.name.split(".")) for key, found in named if found is not None), 2))
        if not firsts:
            return ""
        key, parts = firsts[0]
        places = [place for place, part in enumerate(parts) if part == key]
        confirmed = (place for place in places if any(other[place : place + 1] == [name] for name, other in firsts[1:]))
        end = next(confirmed, places[-1] if places else 0)
        return "".join(f"{part}." for part in parts[:end])


class CellList(_Ordered):
    """A list of Cells. It has no computation of its own.

    Args:
        cells: the Cells, as one list or as several arguments.
        auto_prefix: prefix the names of the parameters with the index.

    Example:
        >>> cells = nn.CellList([nn.Dense(2, 3), nn.ReLU()])
        >>> _ = cells.append(nn.Dense(3, 1))
        >>> print(len(cells), [item.name for item in cells.trainable_params()])
        3 ['0.weight', '0.bias', '2.weight', '2.bias']

    """

    def __init__(self, *cells: Cell | Iterable[Cell], auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix=auto_prefix)
        self.extend(_flat(cells))

    def _scope_of(self, name: str, cell: Cell) -> str:
        # The list itself is never called, so its scope is a part of the scopes of its Cells.
        own = super()._scope_of(name, cell)
        return f"{self._scope}/{own}" if self._scope else own

    def _set_scope(self, scope: str) -> None:
        super()._set_scope(scope)
        for name, cell in self._cells.items():
            cell._set_scope(self._scope_of(name, cell))


class SequentialCell(_Ordered):
    """Cells in sequence, each computing from the output of the one before.

    Args:
        args: the Cells: one list, one `OrderedDict` with their names, or several arguments.

    Example:
        >>> net = nn.SequentialCell(nn.Flatten(), nn.Dense(4, 3), nn.ReLU())
        >>> print(net(ops.ones((2, 2, 2))).shape)
        (2, 3)

    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, cell in args[0].items():
                self._hold(name, cell, "")
        else:
            self.extend(_flat(args))

    def construct(self, x: Tensor) -> Tensor:
        """Compute the output of the last Cell."""
        for cell in self:
            x = cell(x)
        return x


def _flat(cells: tuple[Any, ...]) -> list[Cell]:
    return list(cells[0]) if len(cells) == 1 and isinstance(cells[0], list | tuple | _Ordered) else list(cells)


Cells = Mapping[str, Cell] | Iterable[tuple[str, Cell]]
"""Cells by name: a dictionary, or pairs."""


class CellDict(Cell):
    """A dictionary of Cells. It has no computation of its own.

    Args:
        args: a dictionary of Cells, or pairs of a name and a Cell.
        auto_prefix: prefix the names of the parameters with the name.

    Example:
        >>> cells = nn.CellDict({"act": nn.ReLU()})
        >>> print(list(cells.keys()), cells["act"](Tensor([-1.0])))
        ['act'] [0.]

    """

    def __init__(self, *args: Cells, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix=auto_prefix)
        for cells in args:
            self.update(cells)

    def __getitem__(self, key: str) -> Cell:
        cell: Cell = self._cells[key]
        return cell

    def __setitem__(self, key: str, cell: Cell) -> None:
        if not isinstance(cell, Cell):
            raise TypeError(f"CellDict takes Cells, not {type(cell).__name__}")
        self.insert_child_to_cell(key, cell)

    def __delitem__(self, key: str) -> None:
        del self._cells[key]

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)

    def __contains__(self, key: object) -> bool:
        return key in self._cells

    def keys(self) -> KeysView[str]:
        """The names."""
        found: KeysView[str] = self._cells.keys()
        return found

    def values(self) -> ValuesView[Cell]:
        """The Cells."""
        found: ValuesView[Cell] = self._cells.values()
        return found

    def items(self) -> ItemsView[str, Cell]:
        """The pairs of a name and a Cell."""
        found: ItemsView[str, Cell] = self._cells.items()
        return found

    def update(self, cells: Cells) -> None:
        """Add Cells.

        Args:
            cells: a dictionary, or pairs of a name and a Cell.
        """
        for key, cell in dict(cells).items():
            self[key] = cell

    def pop(self, key: str) -> Cell:
        """Remove a Cell and return it.

        Args:
            key: name of the Cell.

        Returns:
            The Cell.
        """
        cell: Cell = self._cells.pop(key)
        return cell

    def clear(self) -> None:
        """Remove all Cells."""
        self._cells.clear()
