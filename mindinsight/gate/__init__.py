"""The gate: who may talk to the dashboard, decided before Django sees a request. Used by the wiring and by sockets."""
