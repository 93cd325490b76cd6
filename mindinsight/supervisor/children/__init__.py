"""The child processes of a dashboard: how each is started, forked, logged and restarted. Used by the supervisor."""
