"""The description of a pipeline: a tree of immutable nodes, with its forms as JSON and in lineage files.

The user's classes (`framework.dataset.engine`) build it, and `framework.dataset.runtime` runs it.
"""

from framework.dataset.ir.lineage import dataset_graph
from framework.dataset.ir.nodes import Node, SamplerNode, find, walk
from framework.dataset.ir.to_json import pipeline_json

__all__ = ["Node", "SamplerNode", "dataset_graph", "find", "pipeline_json", "walk"]
