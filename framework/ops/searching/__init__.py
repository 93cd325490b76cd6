"""Operators that sort, search and count elements.

Each module holds operators with their inference, kernel, functional form and gradient. Users import them from
`framework.ops`; modules of `framework.ops` import them from the module that defines them.
"""
