"""Connects web server processes: a training is connected to one of them, and browsers watch it at all of them.

Used by sessions.
"""
