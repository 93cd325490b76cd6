"""Dumps of programs, each read as a `Graph`: histories of compiler passes, and single files.

`find_dumps` searches a run's directory, `open_pass` and `open_dump` read dumps. A library that knows neither Django nor
the database; called by the app around it.
"""

from mindinsight.graphs.passes.finding import Dumps, History, Pass, find_dumps, find_histories, find_history
from mindinsight.graphs.passes.reading import open_dump, open_pass

__all__ = ["Dumps", "History", "Pass", "find_dumps", "find_histories", "find_history", "open_dump", "open_pass"]
