"""The tensors of a step: their names, the nodes that make them, recordings of them, statistics.

All other packages of the debugger may import it, except `link`. It imports none of them.
"""
