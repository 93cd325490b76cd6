"""Images: pictures over the steps of a run.

The app has no tables and keeps no copies: the store knows the place of each record, and its pictures are read from the
event file when they are asked for. Nothing is decoded here; a picture goes out as it was written.
"""
