"""Computation graphs: their model, what repeats in them, and the API that pages ask.

`model`, `substructures`, `diff`, `passes` and `pipeline` are a library that knows neither Django nor the database; the
rest is a Django app.
"""
