"""The importance of hyper-parameters for a result: statistics on arrays, run in a separate process (`__main__.py`).

It uses neither Django nor the database. scikit-learn is imported only here, because with its dependencies it takes a
hundred megabytes.
"""
