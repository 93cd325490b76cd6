"""Memory of compiled programs: liveness, order of nodes, the plan of shared memory, in-place updates, the budget."""
