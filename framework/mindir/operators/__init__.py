"""What MindSpore's operators mean here: `constructed` lists those that are ours too, the others are functions.

A module has the functions of one family, entered into `meanings` by `@mindspore("NAME")`.
`framework.mindir.translating` asks `meanings.meaning_of`.
"""

from framework.mindir.operators import extended, filled, layers, scalars

__all__ = ["extended", "filled", "layers", "scalars"]
