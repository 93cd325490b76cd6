"""Which hyper-parameters mattered for a result: statistics on arrays, run in a process of their own (`__main__.py`).

Knows neither Django nor the database. scikit-learn is imported where it is used and nowhere else: it and what it
brings take a hundred megabytes.
"""
