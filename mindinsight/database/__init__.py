"""The database: made and migrated at start, and what keeps a damaged SQLite file from keeping the dashboard down.

The package is Django's backend for SQLite too: `base` tells `damage` of errors. `checks` looks at the database at
start, `quarantine` sets a damaged one aside, and `salvage` saves what people made. Imported by wiring and reader.
"""
