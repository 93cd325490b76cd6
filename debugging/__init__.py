"""The debugger's half in a training process that every framework shares: the link, pauses, watchpoints, causes.

A framework implements `debugging.contract.Debuggee`; `framework.debugger` and the adapters in `mindinsight` do. Nothing
here imports a framework or Django.
"""
