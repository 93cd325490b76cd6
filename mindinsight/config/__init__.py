"""The wiring of the Django project: settings, addresses, entry points of the web server and the worker.

The top room: it imports the apps; none of them imports it.
"""
