"""Kernels that take more than a line of numpy: arrays in, arrays out, of numpy and of cupy alike.

Nothing here knows tensors or primitives. Some have a faster implementation for one device, by which `accelerated` calls
them; `print(framework.kernels.table())` shows which, and `framework.kernels.use` chooses.
"""

from framework.kernels import accelerated  # noqa: F401, fills the table
from framework.kernels.choices import table, use

__all__ = ["table", "use"]
