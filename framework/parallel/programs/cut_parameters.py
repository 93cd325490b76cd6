"""Parameters of which each rank has a part.

A Parameter is cut when the first program that reads it is compiled; its copies with it, which are the state of
optimizers. From then on its shape and elements are those of the part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from framework.common.device import Array
from framework.common.parameter import Parameter
from framework.communication import collectives
from framework.communication.worlds import WORLD, communicator
from framework.parallel.layouts.executing import part_of, redistributed
from framework.parallel.layouts.placements import Placement, cut_of, mesh_of, steps_between, whole_placement

__all__ = ["PartsOnMesh", "cut_parameter", "placement_of"]


@dataclass(frozen=True)
class PartsOnMesh:
    """The parts of a Parameter on the mesh of all ranks.

    Attributes:
        shape: the shape of the whole.
        mesh: the lengths of the axes of the mesh.
        placement: for each axis of the mesh the dimension that it cuts, or None.
    """

    shape: tuple[int, ...]
    mesh: tuple[int, ...]
    placement: Placement

    @property
    def is_cut(self) -> bool:
        """Whether a part is not the whole."""
        return any(dimension is not None for dimension in self.placement)

    def whole(self, x: Array) -> Array:
        """The whole, from the part of each rank; every rank calls this."""
        steps = steps_between(self.shape, self.mesh, self.placement, whole_placement(self.mesh))
        with collectives.noted_on_mesh(f"the whole of a Parameter of shape {self.shape}", x) as everyone:
            return redistributed(x, steps, everyone)

    def part(self, x: Array) -> Array:
        """This rank's part of the whole."""
        cut = cut_of(self.shape, self.placement, self.mesh)
        return np.ascontiguousarray(part_of(x, cut, communicator(WORLD).rank))


def placement_of(parameter: Parameter) -> Placement | None:
    """For each axis of the mesh the dimension that it cuts; None before that is decided."""
    return parameter.parts.placement if isinstance(parameter.parts, PartsOnMesh) else None


def cut_parameter(parameter: Parameter, placement: Placement) -> None:
    """Keep this rank's part of a Parameter, and of the copies that were made of it.

    Args:
        parameter: the Parameter.
        placement: for each axis of the mesh of all ranks the dimension that it cuts, or None.
    """
    if parameter.parts is not None:
        return
    shape, whole = tuple(parameter.shape), parameter.asnumpy()
    parameter.parts = PartsOnMesh(shape, mesh_of(communicator(WORLD).size), placement)
    if parameter.is_cut:
        parameter.set_whole(whole)
    for copy in parameter.copies():
        if tuple(copy.shape) == shape:
            cut_parameter(copy, placement)
