"""Memory of compiled programs: liveness of values, the plan that lets them share memory, and updates in place."""
