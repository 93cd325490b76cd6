"""Browsers that watch trainings: their socket, and the messages waiting for each browser. Made by `asgi.py`."""
