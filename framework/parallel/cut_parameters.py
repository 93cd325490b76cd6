"""Parameters of which each rank has a part: cuts them, and puts the whole together again.

A Parameter is cut when the first program that reads it is compiled; its copies with it, which are the state of
optimizers. From then on its shape and elements are those of the part.
"""

from __future__ import annotations

import numpy as np

from framework.common.parameter import Parameter
from framework.common.tensor import Tensor
from framework.communication import collectives
from framework.communication.worlds import WORLD, communicator
from framework.parallel.layouts.executing import part_of, redistributed
from framework.parallel.layouts.placements import Placement, cut_of, mesh_of, steps_between, whole_placement

__all__ = ["cut_parameter", "placement_of", "whole_value"]


def placement_of(parameter: Parameter) -> Placement | None:
    """For each axis of the mesh the dimension that it cuts; None before the Parameter is cut."""
    return parameter.placement


def cut_parameter(parameter: Parameter, placement: Placement) -> None:
    """Keep this rank's part of a Parameter, and of the copies that were made of it.

    Args:
        parameter: the Parameter.
        placement: for each axis of the mesh of all ranks the dimension that it cuts, or None.
    """
    if parameter.placement is not None:
        return
    ranks = communicator(WORLD)
    mesh, shape = mesh_of(ranks.size), tuple(parameter.shape)
    parameter.placement, parameter.whole_shape = placement, shape
    if parameter.is_cut:
        part = part_of(parameter.asnumpy(), cut_of(shape, placement, mesh), ranks.rank)
        parameter.set_data(Tensor(np.ascontiguousarray(part), parameter.dtype))
    for copy in parameter.copies():
        if tuple(copy.shape) == shape:
            cut_parameter(copy, placement)


def whole_value(parameter: Parameter) -> Tensor:
    """The whole of a Parameter. Every rank calls this if the Parameter is cut."""
    placement = parameter.placement
    if placement is None or not parameter.is_cut:
        return parameter.value()
    ranks = communicator(WORLD)
    mesh = mesh_of(ranks.size)
    steps = steps_between(parameter.whole_shape, mesh, placement, whole_placement(mesh))
    x = parameter.asnumpy()
    with collectives.noted_on_mesh(f"the whole of Parameter {parameter.name}", x) as everyone:
        return Tensor(redistributed(x, steps, everyone), parameter.dtype)
