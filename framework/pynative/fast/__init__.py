"""Fast paths of PyNative mode. Each computes what the plain path computes; without them all works the same."""
