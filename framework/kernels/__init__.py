"""Kernels that take more than a line of numpy: arrays in, arrays out, of numpy and of cupy alike.

Nothing here knows tensors or primitives. A faster kernel for one device has its place beside these.
"""
