"""The backward functions of primitives, each in terms of primitives, in the part of Python that graph mode parses.

One definition serves PyNative's tape, which runs it, and graph mode's J transform, which parses it. Importing a module
registers what it defines.
"""

from framework.ops.bprop import (
    array,
    blocks,
    convolution,
    detection,
    factorizations,
    grids,
    indexing,
    neural,
    resizing,
    scattering,
    searching,
    sequences,
)
from framework.ops.gradients import BpropGetters, bprop_getters

__all__ = [
    "BpropGetters",
    "array",
    "blocks",
    "bprop_getters",
    "convolution",
    "detection",
    "factorizations",
    "grids",
    "indexing",
    "neural",
    "resizing",
    "scattering",
    "searching",
    "sequences",
]
