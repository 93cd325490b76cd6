"""Builds the scene of a graph: homes of nodes, units, containers, edges, columns. Called once by the worker."""
