"""A debugging session in a training: attaching, the state of a pause, commands, watchpoints around each step.

Imports all other packages of the debugger. Only frameworks import it.
"""
