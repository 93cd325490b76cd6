"""Sends stored points to browsers: the hub of each web server process, and the socket of pages.

The contract is `docs/architecture/wire.md`.
"""
