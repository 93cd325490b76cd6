"""The dashboard: a Django project that reads summary files, stores their values as columns and serves them live.

Each thing that a user sees has its own app (`runs`, `scalars`). The other packages serve them: `store` (columns on
disk), `ingest` (files to store), `live` (store to browsers), `config` (settings and entry points), `supervisor` (the
processes) and `cli` (the `mindinsight` command). `torch`, `integrations` and `dumps` are for trainings' environments:
they come in the wheel `mindinsight-writer`, with this module, and the dashboard comes in the wheel `mindinsight`.
"""

__version__ = "0.1.0"
