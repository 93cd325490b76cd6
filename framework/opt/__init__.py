"""Passes: rewrites of typed programs that keep what they mean. `optimize` runs them in order; each can be dumped."""
