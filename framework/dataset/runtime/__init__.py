"""The run of a pipeline: operators that pull rows from one another, built from the nodes of `framework.dataset.ir`.

Workers, connectors between threads, and who frees them: `connector`, `section`, `prefetching`, `resources`, `tree`.
"""

from framework.dataset.runtime.pipeline import build
from framework.dataset.runtime.resources import Resources
from framework.dataset.runtime.rows import Source
from framework.dataset.runtime.tree import Tree

__all__ = ["Resources", "Source", "Tree", "build"]
