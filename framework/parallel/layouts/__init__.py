"""How tensors are cut over ranks, and how they get from one cut to another; pure functions on shapes and numbers.

cuts              a tensor's cut: which mesh axis cuts which part of which dimension, and the slice of a rank
redistribution    the cheapest sequence of slices, exchanges and gathers from one cut to another
executing         such a sequence on the ranks of a communicator
"""
