"""The native driver: straight lines of a compiled program as machine code, which calls the kernels by their addresses.

`cutting` divides a block into segments and the nodes between; a `Segment` records what its nodes call, by the *forms*
of their operators; `machine_code` makes one Python function of each. Called by `framework.engine.segment_lines`, which
writes the Python lines of a segment beside it: they run where an array is not what the segment was made for.
"""

from typing import Final

from framework.engine.native.cutting import cut
from framework.engine.native.forms import forms
from framework.engine.native.machine_code import make_functions, version
from framework.engine.native.memory import AddressTable, aligned
from framework.engine.native.segments import Neighbourhood, NoFormError, Segment
from framework.kernels.choices import Kernel, Source, listed

__all__ = [
    "AddressTable",
    "Neighbourhood",
    "NoFormError",
    "Segment",
    "aligned",
    "cut",
    "forms",
    "is_on",
    "make_functions",
]

driver: Final = listed(
    Kernel(
        "driver",
        lambda xp: False,
        lambda: True,
        Source(version),
        "straight lines of programs compiled from now on, without Python between their operators",
    )
)


def is_on() -> bool:
    """Whether programs get native segments."""
    return driver.is_fast
