"""Tests, in folders that mirror the packages; `docs/architecture/testing.md` describes the folders."""
