"""The connection with the dashboard: a thread that connects and reconnects, and the queues to and from it.

The session imports it. It imports no other package of the debugger.
"""
