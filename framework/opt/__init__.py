"""Passes: rewrites of typed programs that preserve their meaning. `optimize` runs them in order, and can dump each."""
