"""Stores windows of event files in the store and the database: rows, series, segments, notes. Used by the reader."""
