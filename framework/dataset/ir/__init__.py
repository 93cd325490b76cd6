"""What a pipeline is, apart from how it was written and how it runs: a tree of immutable nodes, and its forms as JSON
and in lineage files. The user's classes build it (`framework.dataset.engine`), `framework.dataset.runtime` runs it.
"""

from framework.dataset.ir.lineage import dataset_graph
from framework.dataset.ir.nodes import Node, SamplerNode, find, walk
from framework.dataset.ir.to_json import pipeline_json

__all__ = ["Node", "SamplerNode", "dataset_graph", "find", "pipeline_json", "walk"]
