"""Descriptions of pipelines: what passes do to them, and their JSON with its schema. `ds.explain`, `ds.deserialize`."""
