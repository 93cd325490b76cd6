"""PyNative mode: primitives run when they are called, and a tape records the inputs of gradients.

Read in this order: `execute`, `tape`, `backward`, `gradient`. The fast paths are in `fast/`.
"""

from framework.common.plain import PLAIN
from framework.pynative import execute, fast, tensor_hooks
from framework.pynative.gradient import is_recording, record, value_and_gradient

__all__ = ["execute", "fast", "is_recording", "record", "tensor_hooks", "value_and_gradient"]

if not PLAIN:
    fast.install()
