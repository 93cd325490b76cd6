"""What runs in the process of one program. These modules import nothing of the benchmark, so that the reference can
run them, too.
"""
