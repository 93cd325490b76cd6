"""Kernels that take more than a line of numpy: arrays in, arrays out, of numpy and of cupy alike.

Nothing here knows tensors or primitives. Some kernels have a faster implementation, which `accelerated` calls.
`print(framework.kernels.table())` shows them, and `framework.kernels.use` chooses.
"""

from framework.kernels import accelerated  # noqa: F401, fills the table
from framework.kernels.choices import table, use

__all__ = ["table", "use"]
