"""Late passes: marked clusters become operators with generated kernels, products are batched, loads dropped."""
