"""Computation graphs: their model, repeated sub-structures, and the API for pages.

`model`, `substructures`, `diff`, `passes`, `pipeline` and `scene` are a library that knows neither Django nor the
database. The rest is a Django app: `api` has its views, `sources` finds graphs.
"""
