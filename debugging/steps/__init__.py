"""Training steps under observation: run, stop within, keep, run again, compare.

The session imports it. It imports only `debugging.tensors`.
"""
