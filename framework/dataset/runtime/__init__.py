"""The run of a pipeline: operators that pull rows from one another, built from the nodes of `framework.dataset.ir`."""

from framework.dataset.runtime.pipeline import Pipeline, build
from framework.dataset.runtime.rows import Source

__all__ = ["Pipeline", "Source", "build"]
