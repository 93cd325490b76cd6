"""A computation graph in memory and on disk, from any program.

`read_graph` reads a file, `Graph` is the form that all other code uses, and `save_graph` and `open_graph` store a graph
as columns in a directory. Nothing here uses Django.
"""

from mindinsight.graphs.model.builder import DEEPEST_SCOPE, GraphBuilder
from mindinsight.graphs.model.defects import Defect, DefectCode, GraphError
from mindinsight.graphs.model.files import graph_from_bytes, read_graph
from mindinsight.graphs.model.graph import CONTROL, DATA, MONAD, EdgeKind, Graph, Node, NodeKind
from mindinsight.graphs.model.storing import graph_hash, is_stored, open_graph, save_graph
from mindinsight.graphs.model.strings import StringTable

__all__ = [
    "CONTROL",
    "DATA",
    "DEEPEST_SCOPE",
    "MONAD",
    "Defect",
    "DefectCode",
    "EdgeKind",
    "Graph",
    "GraphBuilder",
    "GraphError",
    "Node",
    "NodeKind",
    "StringTable",
    "graph_from_bytes",
    "graph_hash",
    "is_stored",
    "open_graph",
    "read_graph",
    "save_graph",
]
