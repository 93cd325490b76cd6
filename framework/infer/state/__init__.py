"""The state of one inference: the residual program, where its nodes go, stale values, pending paths.

*Residual program* is what partial evaluation leaves of a program (Jones, Gomard and Sestoft 1993). Evaluators and
control flow share this state; it imports neither of them.
"""
