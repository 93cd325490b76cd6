"""Mathematical functions of one tensor, element by element.

Each module holds operators with their inference, kernel, functional form and gradient. Users import them from
`framework.ops`; modules of `framework.ops` import them from the module that defines them.
"""
