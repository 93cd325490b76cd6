"""Rewrites comprehensions and generators as functions with a loop that are called at once. Used by `expressions`."""

from __future__ import annotations

import ast
from typing import Final

from framework.parse.names import assigned_within

__all__ = ["Comprehension", "as_function"]

Comprehension = ast.ListComp | ast.GeneratorExp | ast.DictComp

_RESULT: Final = "comprehension_result"


def as_function(node: Comprehension) -> ast.FunctionDef:
    """The function that computes a comprehension.

    Args:
        node: the comprehension. All items of a generator are put into a list.

    Returns:
        A function without parameters that returns the list or the dictionary. If the comprehension assigns variables of
        the function around it by `(name := value)`, it returns a tuple of the list or dictionary and their values.
    """
    empty: ast.expr = ast.List([], ast.Load())
    if isinstance(node, ast.DictComp):
        empty = ast.Dict([], [])
        merged = ast.Dict([None, node.key], [ast.Name(_RESULT, ast.Load()), node.value])
        body: ast.stmt = ast.Assign([ast.Name(_RESULT, ast.Store())], merged)
    else:
        append = ast.Attribute(ast.Name(_RESULT, ast.Load()), "append", ast.Load())
        body = ast.Expr(ast.Call(append, [node.elt], []))
    for generator in reversed(node.generators):
        for condition in reversed(generator.ifs):
            body = ast.If(condition, [body], [])
        body = ast.For(generator.target, generator.iter, [body], [])
    begin = ast.Assign([ast.Name(_RESULT, ast.Store())], empty)
    given: list[ast.expr] = [ast.Name(name, ast.Load()) for name in (_RESULT, *assigned_within(node))]
    end = ast.Return(ast.Tuple(given, ast.Load()) if len(given) > 1 else given[0])
    function = ast.FunctionDef("listcomp", ast.arguments([], [], None, [], [], None, []), [begin, body, end], [])
    for part in ast.walk(function):
        if not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    return function
