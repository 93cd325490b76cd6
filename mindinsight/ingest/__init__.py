"""The reader: finds runs, follows their event files, stores points as columns and notifies the web servers.

It runs as one thread of one worker process (`reader_thread`). It can be killed and restarted at any time.
"""
