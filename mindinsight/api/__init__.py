"""Shared by all APIs of the dashboard: parameters, answers, errors, ETags, frames. The lowest layer of the apps.

Any app may import it. It imports no app.
"""
