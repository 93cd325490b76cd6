"""Rows in blocks, column by column, for operators that work on many small rows at once, and the memory of batches.

A row of a few microseconds costs more on its way than in its work. Operators that can take blocks pass them on; all
others read the same rows one by one.
"""

from framework.dataset.runtime.blocks.block import Block, Column, Origins, rows_of
from framework.dataset.runtime.blocks.pieces import in_blocks

__all__ = ["Block", "Column", "Origins", "in_blocks", "rows_of"]
