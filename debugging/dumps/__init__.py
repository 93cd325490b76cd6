"""Offline dumps: folders in which MindSpore or msprobe wrote the tensors of some iterations, read without either.

`mindinsight.dumps` and the command `mindinsight dump` import it. It imports the rest of `debugging`, and `summaries`.
"""

from debugging.dumps.analyzer import DumpAnalyzer
from debugging.dumps.damages import Damage
from debugging.dumps.dump import Dump, DumpError
from debugging.dumps.faults import Fault, find_fault
from debugging.dumps.opening import open_dump

__all__ = ["Damage", "Dump", "DumpAnalyzer", "DumpError", "Fault", "find_fault", "open_dump"]
