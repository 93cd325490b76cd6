"""Dumps of a program after each pass of a compiler: which there are, and each one as a `Graph`.

`find_histories` looks through a run's directory, `open_pass` reads one. A library that knows neither Django nor the
database; called by the app around it.
"""

from mindinsight.graphs.passes.finding import History, Pass, find_histories, find_history
from mindinsight.graphs.passes.reading import open_pass

__all__ = ["History", "Pass", "find_histories", "find_history", "open_pass"]
