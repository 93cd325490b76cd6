"""The processes of a dashboard that one machine runs: Redis, worker and web server, started, watched and stopped.

Used by the command line only. It imports neither Django nor anything else that is slow to import, so it prints the
address before its children have finished their imports.
"""
