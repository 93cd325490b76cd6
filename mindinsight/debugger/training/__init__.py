"""A training on its socket: messages to it and from it, its blobs, and what it has reported. Used by sessions."""
