"""Debugger sessions, one per training: in the memory of the web server, in the database and on disk."""
