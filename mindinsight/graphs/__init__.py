"""Computation graphs: their model, what repeats in them, and the API that pages ask.

`model`, `substructures`, `diff`, `passes`, `pipeline` and `scene` are a library that knows neither Django nor the
database. The rest is a Django app: `api` has its views, `sources` finds graphs.
"""
