"""Where and with what a run is made: collected while training, told apart from secrets, and read back.

The summary writer records it once per file; the dashboard's ingest reads it. Only `told` is imported by the training's
own thread; the rest is loaded by the writer's thread.
"""
