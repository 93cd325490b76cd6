"""A training's socket: messages to it and from it, its blobs, and its report. Used by sessions."""
