"""The debugger in the dashboard: trainings connect to `/ws/train`, browsers to `/ws/debug` (`asgi`).

`training` and `browsers` are the two sides, `sessions` is between them, and `between_servers` connects several web
server processes. Sockets live in the event loop. The database and files are read and written in threads. `api.md` is
the contract with both sides. Only the wiring imports this package.
"""
