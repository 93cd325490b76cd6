"""Adapters of other frameworks, with the real packages: `make test-adapters`."""
