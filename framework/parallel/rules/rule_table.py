"""Finds the rule of an operator. `network_of_program` asks for each operator."""

from __future__ import annotations

import logging

from framework.ops.primitive import Primitive
from framework.parallel.rules import (
    element_rules,
    image_rules,
    lookup_rules,
    matrix_rules,
    normalization_rules,
    reduction_rules,
    shape_rules,
)
from framework.parallel.rules.indices import Application, Indices, Rule, whole

__all__ = ["indices_of"]

_log = logging.getLogger("framework")
_RULES: dict[type, Rule] = {
    **element_rules.RULES,
    **image_rules.RULES,
    **lookup_rules.RULES,
    **matrix_rules.RULES,
    **normalization_rules.RULES,
    **reduction_rules.RULES,
    **shape_rules.RULES,
}
_told: set[str] = set()


def indices_of(application: Application) -> Indices:
    """The indices that an operator runs over. Without a rule there are none, and a message says it once."""
    for kind in type(application.primitive).__mro__:
        rule = _RULES.get(kind)
        if rule is not None:
            found = rule(application)
            if found is not None:
                return found
            break
    _tell(application.primitive)
    return whole(application)


def _tell(primitive: Primitive) -> None:
    if primitive.name not in _told:
        _told.add(primitive.name)
        _log.warning("%s has no rule for this call: every rank computes it whole", primitive.name)
