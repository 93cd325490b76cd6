"""Lowering: how each operator becomes calls in a native segment. `table.py` finds the lowering of a node."""
