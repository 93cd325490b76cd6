"""The database: creating and migrating it at the start, and recovery from a damaged SQLite file.

The package is also Django's backend for SQLite: `base` reports errors to `damage`. `checks` inspects the database at
the start, `quarantine` sets a damaged one aside, and `salvage` saves what users created. Imported by wiring and reader.
"""
