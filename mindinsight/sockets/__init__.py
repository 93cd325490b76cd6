"""The common part of the dashboard's sockets: uvicorn's protocol with limits, and the parsing of clients' messages.

It uses no app. `mindinsight.live` and `mindinsight.debugger` use it.
"""
