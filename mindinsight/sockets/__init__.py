"""What all sockets of the dashboard share: uvicorn's protocol with bounds, and the reading of what clients send.

It knows no app. `mindinsight.live` and `mindinsight.debugger` talk through it.
"""
