"""The debugger in the dashboard: trainings connect to `/ws/train`, browsers to `/ws/debug` (`asgi`).

`training` and `browsers` are the two sides, `sessions` is between them, and `between_servers` joins several web server
processes. Sockets live in the server's loop; the database and files are written and read in threads. `api.md` is the
contract with both sides. Only the wiring imports this room.
"""
