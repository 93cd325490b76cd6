"""PyNative mode: primitives run as they are called, and a tape remembers what a gradient will need."""

from framework.pynative import dispatch
from framework.pynative.fast import operators
from framework.pynative.gradient import is_recording, record, value_and_gradient

__all__ = ["dispatch", "is_recording", "operators", "record", "value_and_gradient"]
