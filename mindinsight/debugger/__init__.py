"""The debugger's place in the dashboard: trainings call here, browsers watch and control them.

`/ws/train` and `/ws/debug` end here, in the server's loop; what lasts is in the database and in files of the data
directory, written and read in threads. `api.md` is the contract with both sides.
"""
