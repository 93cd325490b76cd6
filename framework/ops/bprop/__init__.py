"""The registry of backward functions; public as `framework.ops.bprop`.

The gradient of an operator follows its class, in the module of its family. Users register the backward functions of
their own operators here.
"""

from framework.ops.gradients import BpropGetters, bprop_getters

__all__ = ["BpropGetters", "bprop_getters"]
