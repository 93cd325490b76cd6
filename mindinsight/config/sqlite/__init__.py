"""Django's database backend for SQLite, and what keeps a damaged database from keeping the dashboard down.

`base` is the backend; it tells `damage` of errors. `checks` looks at the database at start, `aside` sets a damaged one
aside, `salvage` saves rows out of it. Imported by `settings` (by name) and by `database`; PostgreSQL needs none of it.
"""
