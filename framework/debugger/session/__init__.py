"""A debugging session in a training: attaching, the state of a pause, commands, watchpoints around each step.

Imports all other packages of the debugger. Only `framework.debugger` imports it.
"""
