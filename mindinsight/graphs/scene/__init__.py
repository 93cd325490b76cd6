"""Scenes of graphs: boxes in containers, stacks of repeated sub-structures, edges between boxes. Without Django.

The worker calls `make_scene` once for a graph and stores the result. Requests are answered from it; `api.md` describes
them.
"""

from mindinsight.graphs.scene.building.assembly import make_scene
from mindinsight.graphs.scene.inside import EDGE_KINDS, inside
from mindinsight.graphs.scene.nodes import edges_of, node_detail, node_row, outline
from mindinsight.graphs.scene.occurrences import compare_occurrences, occurrences_of
from mindinsight.graphs.scene.overlays import overlay, told_overlay
from mindinsight.graphs.scene.paths import UnknownBoxError, View, look_at, nodes_of, path_of_node, paths_by_name
from mindinsight.graphs.scene.scene import VERSION, Scene, has_scene, open_scene, write_scene
from mindinsight.graphs.scene.search import search
from mindinsight.graphs.scene.statuses import STATUSES, Statuses
from mindinsight.graphs.scene.tracing import shortest_way, trace

__all__ = [
    "EDGE_KINDS",
    "STATUSES",
    "VERSION",
    "Scene",
    "Statuses",
    "UnknownBoxError",
    "View",
    "compare_occurrences",
    "edges_of",
    "has_scene",
    "inside",
    "look_at",
    "make_scene",
    "node_detail",
    "node_row",
    "nodes_of",
    "occurrences_of",
    "open_scene",
    "outline",
    "overlay",
    "path_of_node",
    "paths_by_name",
    "search",
    "shortest_way",
    "told_overlay",
    "trace",
    "write_scene",
]
