"""Random numbers, random choices and dropout.

A module holds an operator with its inference, kernel, functional form and gradient. Users get them from
`framework.ops`; modules of `framework.ops` import from the module itself.
"""
