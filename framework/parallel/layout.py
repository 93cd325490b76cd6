"""`Layout`: names for the dimensions of a matrix of devices, by which programs say how tensors are cut."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

__all__ = ["Layout"]


class Layout:
    """A matrix of devices whose dimensions have names. A call with a name for each dimension of a tensor cuts it.

    Args:
        device_matrix: lengths of the dimensions of the matrix.
        alias_name: a name for each.
        rank_list: numbers of the devices; None for all from 0.

    Raises:
        TypeError: an argument has another type.
        ValueError: lengths and names differ in number, a name is used twice, or is "None".

    Example:
        >>> layout = ms.parallel.Layout((2, 4), ("dp", "mp"))
        >>> print(layout("dp", "None").to_dict()["tensor_map"])
        (1, -1)

    """

    def __init__(
        self, device_matrix: tuple[int, ...], alias_name: tuple[str, ...], rank_list: Sequence[int] | None = None
    ) -> None:
        if not isinstance(device_matrix, tuple) or not isinstance(alias_name, tuple):
            raise TypeError("Layout: device_matrix and alias_name must be tuples")
        if not all(isinstance(length, int) for length in device_matrix):
            raise TypeError(f"Layout: device_matrix must hold numbers of devices, not {device_matrix}")
        if not all(isinstance(name, str) for name in alias_name):
            raise TypeError(f"Layout: alias_name must hold strings, not {alias_name}")
        if len(device_matrix) != len(alias_name) or len(set(alias_name)) != len(alias_name) or "None" in alias_name:
            raise ValueError(f"Layout: {device_matrix} needs {len(device_matrix)} different names, not {alias_name}")
        self._matrix, self._names = device_matrix, alias_name
        count = 1
        for length in device_matrix:
            count *= length
        self._ranks = list(range(count)) if rank_list is None else list(rank_list)
        self._map: tuple[Any, ...] | None = None

    def __call__(self, *tensor_map: str | tuple[str, ...]) -> Layout:
        """The layout of a tensor.

        Args:
            tensor_map: for each dimension of the tensor, the name of the dimension of the matrix that cuts it, several
                names as a tuple, or "None".

        Raises:
            ValueError: there is no such name, or a name occurs twice.

        """
        used = [name for part in tensor_map for name in ([part] if isinstance(part, str) else part) if name != "None"]
        unknown = [name for name in used if name not in self._names]
        if unknown or len(set(used)) != len(used):
            raise ValueError(f"Layout: each of {self._names} can be used once, not {tensor_map}")
        made = Layout(self._matrix, self._names, self._ranks)
        made._map = tuple(
            self._place(part) if isinstance(part, str) else tuple(map(self._place, part)) for part in tensor_map
        )
        return made

    def _place(self, name: str) -> int:
        """The dimension of a name, counted from the last one; -1 for none."""
        return -1 if name == "None" else len(self._names) - 1 - self._names.index(name)

    def __repr__(self) -> str:
        names = "" if self._map is None else str(tuple(self._name(part) for part in self._map))
        return f"Layout({self._matrix}, {self._names}){names}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return self._matrix, self._names, tuple(self._ranks), self._map

    def _name(self, part: int | tuple[int, ...]) -> str | tuple[str, ...]:
        """The name of a dimension of the matrix, counted from the last one; of several, their names."""
        if isinstance(part, tuple):
            return tuple(self._names[len(self._names) - 1 - item] for item in part)
        return "None" if part == -1 else self._names[len(self._names) - 1 - part]

    def axes_of_dimensions(self, mesh: Sequence[int]) -> list[tuple[int, ...]]:
        """For each dimension of the tensor the axes of a mesh of prime lengths that cut it.

        Args:
            mesh: the lengths of the axes of the mesh.

        Raises:
            ValueError: the layout is not that of a tensor, its matrix is not one of all ranks in order, or the mesh
                does not refine it.

        """
        tensor_map = self.to_dict()["tensor_map"]
        if math.prod(self._matrix) != math.prod(mesh) or self._ranks != list(range(math.prod(mesh))):
            raise ValueError(
                f"{self}: its matrix has {math.prod(self._matrix)} devices, and {math.prod(mesh)} ranks run this "
                "program: its dimensions must multiply to all ranks, from 0 on"
            )
        groups: list[tuple[int, ...]] = []
        axis = 0
        for length in self._matrix:
            first, reached = axis, 1
            while reached < length:
                reached, axis = reached * mesh[axis], axis + 1
            if reached != length:
                raise ValueError(f"{self}: {length} devices are no group of axes of the mesh {tuple(mesh)}")
            groups.append(tuple(range(first, axis)))
        found = []
        for part in tensor_map:
            places = [place for place in ((part,) if isinstance(part, int) else part) if place != -1]
            found.append(tuple(item for place in places for item in groups[len(groups) - 1 - place]))
        return found

    def to_dict(self) -> dict[str, Any]:
        """The layout as a dictionary, with MindSpore's names.

        Raises:
            ValueError: the layout is not that of a tensor yet.

        """
        if self._map is None:
            raise ValueError("Layout: call it with a name for each dimension of the tensor first")
        return {
            "device_matrix": self._matrix,
            "tensor_map": self._map,
            "interleaved_parallel": False,
            "alias_name": self._names,
            "rank_list": self._ranks,
        }
