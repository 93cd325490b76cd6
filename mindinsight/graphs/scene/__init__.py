"""How a graph is drawn: boxes in containers, stacks of what repeats, edges between them. Knows no Django.

`make_scene` is called once by the worker; questions are answered from what it stored.
"""

from mindinsight.graphs.scene.building import make_scene
from mindinsight.graphs.scene.inside import inside
from mindinsight.graphs.scene.paths import UnknownBoxError, View, look_at, path_of_node
from mindinsight.graphs.scene.scene import VERSION, Scene, has_scene, open_scene, write_scene

__all__ = [
    "VERSION",
    "Scene",
    "UnknownBoxError",
    "View",
    "has_scene",
    "inside",
    "look_at",
    "make_scene",
    "open_scene",
    "path_of_node",
    "write_scene",
]
