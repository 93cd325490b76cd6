"""What every other part stands on: tensors, parameters, element types, initializers, the seed.

Imports nothing else of the framework, so anything may import it.
"""
