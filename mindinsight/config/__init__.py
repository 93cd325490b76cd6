"""The wiring of the Django project: settings, addresses, entry points of the web server and the worker.

The top layer: it imports the apps, and none of them imports it.
"""
