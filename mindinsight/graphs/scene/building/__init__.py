"""How a scene is made, once for each graph: homes of nodes, units, containers, edges, columns. Called by the worker."""
