"""A real dashboard holds what the API's description says: schemathesis asks, and compares the answers with it."""
