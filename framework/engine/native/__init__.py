"""Native code: sequences of a compiled program's nodes as machine code that calls kernels by address.

`partition` divides a block into segments and the nodes between them. A `Segment` records the native calls of its nodes,
by the lowering of each operator. `machine_code` compiles each segment to one Python function. Called by
`framework.engine.codegen.native_segments`, which writes a fallback in Python beside it. The fallback runs if an array
is not what the segment was compiled for.
"""

from typing import Final

from framework.engine.native.address_table import AddressTable, aligned
from framework.engine.native.lowering.table import lowering_of
from framework.engine.native.machine_code import make_functions, version
from framework.engine.native.partition import partition
from framework.engine.native.segments import BlockContext, NotLowerableError, Segment
from framework.engine.native.slices import prepare_clock
from framework.kernels.choices import Kernel, Source, listed

__all__ = [
    "AddressTable",
    "BlockContext",
    "NotLowerableError",
    "Segment",
    "aligned",
    "is_on",
    "lowering_of",
    "make_functions",
    "partition",
    "prepare_clock",
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
