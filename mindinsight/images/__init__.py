"""Images: pictures over the steps of a run.

The app has no tables and stores no copies. The store knows the place of each record, and requests read its pictures
from the event file. Nothing is decoded here: pictures are sent as they were written.
"""
