"""Operators over the ranks of a training: reductions, gathers, broadcasts, exchanges and messages.

Each module holds operators with their inference, kernel and gradient; `functional_forms` has functions that call them.
They have side effects for both modes: no pass removes, merges or reorders them, so every rank runs them in the order of
the program. The ranks themselves are in `framework.communication`. Users import the operators from `framework.ops`.
"""
