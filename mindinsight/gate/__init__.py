"""The gate: decides who may use the dashboard, before Django sees a request. Used by the wiring and by sockets."""
