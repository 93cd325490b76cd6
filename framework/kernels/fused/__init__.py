"""Generated kernels: a cluster of element-wise operators becomes one loop of machine code (LLVM by llvmlite).

A `Cluster` says what to compute; `generated` makes a function of it, or finds it on disk. Nothing here knows the IR of
programs. llvmlite is loaded with the first kernel, or when graph mode is chosen.
"""

from typing import Final

from framework.kernels.choices import Kernel, Source, listed
from framework.kernels.fused.cluster import Cluster, Input, Output, Step
from framework.kernels.fused.compiling import kernel_of, load_llvm, loops_of, version
from framework.kernels.fused.supported import APPROXIMATED, supports

__all__ = [
    "APPROXIMATED",
    "Cluster",
    "Input",
    "Output",
    "Step",
    "generated",
    "kernel_of",
    "load_llvm",
    "loops_of",
    "supports",
    "version",
]


def _none(xp: object, cluster: Cluster) -> None:
    """The plain implementation: none, so numpy computes the operators of a cluster one by one."""


generated: Final = listed(
    Kernel(
        "fused",
        _none,
        kernel_of,
        Source(version),
        "clusters of element-wise operators in programs compiled from now on",
    )
)
