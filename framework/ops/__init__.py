"""The table of primitives, with their inference, kernels and backward functions, and the functions made of them."""
