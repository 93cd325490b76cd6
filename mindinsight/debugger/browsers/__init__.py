"""Browsers that watch trainings: their socket, and what waits to be sent to each. Made by `asgi.py`."""
