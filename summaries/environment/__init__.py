"""The environment of a run, collected while it trains: command line, revision, packages, machine, without secrets.

The summary writer records it once per file; `summaries.reading.environment` reads it. The training's thread imports
only `snapshot`; the writer's thread loads the rest.
"""
