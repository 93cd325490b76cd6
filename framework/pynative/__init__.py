"""PyNative mode: primitives run as they are called, and a tape remembers what a gradient will need.

Read in this order: `execute`, `tape`, `backward`, `gradient`. The fast paths are in `fast/`.
"""

from framework.common.plain import PLAIN
from framework.pynative import execute, fast
from framework.pynative.gradient import is_recording, record, value_and_gradient

__all__ = ["execute", "fast", "is_recording", "record", "value_and_gradient"]

if not PLAIN:
    fast.install()
