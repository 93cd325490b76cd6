"""Sessions of the debugger: one for each training, in the memory of its web server, in the database and on disk."""
